import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';

const GET = 'GET / HTTP/1.1\r\nHost: shop\r\n\r\n';

async function connectTo(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // A reset also closes it.
  return client.on('error', () => undefined);
}

it('a connection is closed when its client stops reading the response', async () => {
  // More than both ends of a connection buffer.
  const server = createHttpServer((_request, response) => response.end(Buffer.alloc(64 * 1024 * 1024)), {
    stalledMs: 100,
  });
  const client = await connectTo(server);
  const [accepted] = await once(server, 'connection');
  client.pause().write(GET);
  await once(accepted, 'close');
  expect(accepted.bytesWritten).toBeGreaterThan(0);
  client.destroy();
  server.close();
});

it('a connection has at most 16 unanswered requests: a further one closes it', async () => {
  const answers: (() => Promise<unknown>)[] = [];
  const server = createHttpServer((_request, response) => {
    answers.push(() => once(response.end(), 'close'));
  });
  const client = (await connectTo(server)).resume();
  client.write(GET.repeat(16));
  await expect.poll(() => answers.length).toBe(16);
  await Promise.all(answers.map((answer) => answer()));
  client.write(GET.repeat(1_000));
  await expect.poll(() => client.destroyed).toBe(true);
  expect(answers.length).toBe(32);
  server.close();
});

it('a connection is closed when a body arrives in more than a thousand pieces of less than 64 bytes', async () => {
  const chunked = (size: number) => {
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    return `POST / HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(2_000)}0\r\n\r\n`;
  };
  const lengths: number[] = [];
  const server = createHttpServer(async (request, response) => {
    lengths.push((await buffer(request).catch(() => Buffer.alloc(0))).length);
    response.end();
  });
  const client = (await connectTo(server)).resume();
  client.write(chunked(64));
  await expect.poll(() => lengths).toEqual([128_000]);
  client.write(chunked(1));
  await expect.poll(() => client.destroyed).toBe(true);
  await expect.poll(() => lengths).toEqual([128_000, 0]);
  server.close();
});

it('the address of a client is known after it has disconnected', async () => {
  const addresses: (string | undefined)[] = [];
  const server = createHttpServer(async ({ socket }) => {
    client.destroy();
    await once(socket, 'close');
    addresses.push(socket.remoteAddress);
  });
  const client = await connectTo(server);
  client.write(GET);
  await expect.poll(() => addresses).toEqual(['127.0.0.1']);
  server.close();
});
