import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createShopper } from '../shopper.ts';
import { signedInUser } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';

// The shop keeps a large body in memory until its end has arrived, so a client that never sends the end uses up memory.
// So does a client that sends many requests and reads no response.

const shop = await openTestShop({ settings: { TRUST_PROXY: '1', RATE_LIMITS: 'on' } });
const MAIL = '/api/auth/forgotpassword';
const KIB = 1024;

let sockets: Socket[];
/** The statuses that are answered although the body is not finished. */
let answers: number[];
beforeEach(() => {
  sockets = [];
  answers = [];
});
const closeAll = () => {
  for (const socket of sockets.splice(0)) socket.destroy();
};
afterEach(closeAll);

/** Sends the head of a request and the first byte of its body, which has `bytes` or, without them, an unknown length. */
function holdBack(path: string, { ip, bytes, token = '' }: { ip: string; bytes?: number; token?: string }): void {
  const { hostname, port } = new URL(shop.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  // The head of the answer; its body may arrive in a part of its own.
  socket.once('data', (data) => answers.push(Number(String(data).split(' ')[1])));
  const size = bytes === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  const head = [`POST ${path} HTTP/1.1`, 'Host: shop', `X-Forwarded-For: ${ip}`, `Authorization: Bearer ${token}`];
  const body = bytes === undefined ? '1\r\n{\r\n' : '{';
  socket.write(`${[...head, 'Content-Type: application/json', size].join('\r\n')}\r\n\r\n${body}`);
}

const expectAnswers = (expected: number[]) => expect.poll(() => answers).toEqual(expected);

describe('unfinished request bodies', () => {
  it('of one network are limited to 32 MiB, without affecting small bodies or other networks', async () => {
    for (let sent = 0; sent < 129; sent += 1) holdBack(MAIL, { ip: '203.0.113.1', bytes: 256 * KIB });
    await expectAnswers([503]);
    holdBack(MAIL, { ip: '203.0.113.2', bytes: 256 * KIB });
    for (let sent = 0; sent < 100; sent += 1) holdBack(MAIL, { ip: '203.0.113.1', bytes: 32 * KIB });
    holdBack(MAIL, { ip: '203.0.113.1', bytes: 33 * KIB });
    await expectAnswers([503, 503]);
  });

  it('of all networks are limited to 64 MiB, and are no longer counted once their connections close', async () => {
    for (let sent = 0; sent < 257; sent += 1) holdBack(MAIL, { ip: `2001:db8:0:${sent.toString(16)}::1` });
    await expectAnswers([503]);
    expect((await createShopper(shop.url).post(MAIL, { email: 'someone@example.com' })).status).toBe(200);
    closeAll();
    // The shop notices the closed connections a moment later.
    await expect
      .poll(async () => (await createShopper(shop.url).post(MAIL, { email: 'x'.repeat(200 * KIB) })).status)
      .toBe(400);
  });

  it('of a customer who sends pictures are limited to 32 MiB', async () => {
    const { token } = await signedInUser(shop);
    const size = { ip: '203.0.113.3', bytes: 6_900_000, token };
    for (let sent = 0; sent < 5; sent += 1) holdBack('/api/problem-reports', size);
    await expectAnswers([503]);
  });
});

it('a body is no longer counted if its connection closes before an earlier request on it is answered', async () => {
  const { hostname, port } = new URL(shop.url);
  const { token } = await signedInUser(shop);
  const from5 = 'Host: shop\r\nX-Forwarded-For: 203.0.113.5';
  const first = `GET /api/auth/me HTTP/1.1\r\n${from5}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const size = `Content-Length: ${256 * KIB}`;
  const second = `POST ${MAIL} HTTP/1.1\r\n${from5}\r\nContent-Type: application/json\r\n${size}\r\n\r\n{`;
  for (let sent = 0; sent < 200; sent += 1) {
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.write(first + second, resolve));
    socket.destroy();
  }
  const body = { email: 'x'.repeat(200 * KIB) };
  const from = createShopper(shop.url, { from: '203.0.113.5' });
  await expect.poll(async () => (await from.post(MAIL, body)).status).toBe(400);
});

it('a body above the limit of its endpoint is refused without being counted', async () => {
  for (let sent = 0; sent < 100; sent += 1) holdBack(MAIL, { ip: '203.0.113.4', bytes: 257 * KIB });
  await expect.poll(() => new Set(answers)).toEqual(new Set([413]));
});

it('the 61st call with a picture in a minute is refused before the picture is read', async () => {
  const { browser, token } = await signedInUser(shop);
  for (let sent = 0; sent < 60; sent += 1) {
    expect((await browser.post('/api/problem-reports', {})).status).toBe(400);
  }
  holdBack('/api/problem-reports', { ip: '127.0.0.1', bytes: 6_900_000, token });
  await expectAnswers([429]);
});

it('a connection on which a thousand requests arrive at once is closed, and at most 16 are answered', async () => {
  const { hostname, port } = new URL(shop.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = '';
  // A reset also closes it.
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    received += data;
  });
  const answered = () => received.split('HTTP/1.1 ').length - 1;
  socket.write('GET /readyz HTTP/1.1\r\nHost: shop\r\n\r\n'.repeat(1_000));
  await expect.poll(() => socket.destroyed || answered() === 1_000).toBe(true);
  expect(answered()).toBeLessThanOrEqual(16);
});
