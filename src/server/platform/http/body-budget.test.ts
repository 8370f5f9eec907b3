import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { limitResponses } from './body-budget.ts';

// More than both ends of a connection buffer; three of them are more than the limit.
const BODY = Buffer.alloc(32 * 1024 * 1024);
const PIECE = Buffer.alloc(64 * 1024);

it('beyond 64 MiB of unread responses, the connection that has waited longest for its client is closed', async () => {
  const app = Fastify({ forceCloseConnections: true });
  limitResponses(app);
  app.get('/', (_request, reply) => reply.send(BODY));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;

  async function openUnread(): Promise<{ client: Socket; accepted: Socket }> {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.pause();
    const [accepted] = await once(app.server, 'connection');
    client.write('GET / HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n');
    await once(app.server, 'request');
    return { client, accepted };
  }

  const first = await openUnread();
  const second = await openUnread();
  const closed = once(first.accepted, 'close');
  const third = await openUnread();
  await closed;
  for (const { client } of [second, third]) {
    let bytes = 0;
    client.on('data', (part) => {
      bytes += part.length;
    });
    await once(client.resume(), 'close');
    expect(bytes).toBeGreaterThan(BODY.length);
  }
  // Nothing is counted any more.
  for (const { client } of [await openUnread(), await openUnread()]) await once(client.resume(), 'close');
  await app.close();
});

it('a stream counts as unread while it waits for its client, and no longer once the client has read it', async () => {
  const app = Fastify({ forceCloseConnections: true });
  limitResponses(app);
  app.get('/stream', (_request, reply) => reply.send(streamOf(PIECE, (2 * BODY.length) / PIECE.length)));
  app.get('/', (_request, reply) => reply.send(BODY));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;

  async function openUnread(path: string): Promise<{ client: Socket; accepted: Socket }> {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.pause();
    const [accepted] = await once(app.server, 'connection');
    client.write(`GET ${path} HTTP/1.1\r\nHost: shop\r\n\r\n`);
    // More is written than both ends of the connection buffer.
    await expect.poll(() => accepted.writableNeedDrain).toBe(true);
    return { client, accepted };
  }

  const read = await openUnread('/stream');
  read.client.resume();
  await expect.poll(() => read.client.bytesRead).toBeGreaterThan(2 * BODY.length);
  const waiting = await openUnread('/stream');
  const closed = once(waiting.accepted, 'close');
  const bodies = [await openUnread('/'), await openUnread('/')];
  await closed;
  expect([read, ...bodies].map(({ accepted }) => accepted.destroyed)).toEqual([false, false, false]);
  for (const { client } of [read, waiting, ...bodies]) client.destroy();
  await app.close();
});

function* pieces(piece: Buffer, count = Number.POSITIVE_INFINITY) {
  for (let sent = 0; sent < count; sent += 1) yield piece;
}
const streamOf = (...of: Parameters<typeof pieces>) => Readable.from(pieces(...of), { objectMode: false });

it.each([
  ['streams of many pieces', () => streamOf(PIECE)],
  // Less than a response buffers before it asks its stream to wait.
  ['streams of one small piece', () => streamOf(PIECE.subarray(4096), 1)],
  ['bodies of 32 KiB', () => PIECE.subarray(PIECE.length / 2)],
])('%s that wait for an earlier response of their connection count as unread', async (_, next) => {
  const app = Fastify({ forceCloseConnections: true });
  limitResponses(app);
  app.get('/first', (_request, reply) => reply.send(streamOf(PIECE)));
  app.get('/next', (_request, reply) => reply.send(next()));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: shop\r\n\r\n`;
  const waiting: { client: Socket; closed: Promise<unknown> }[] = [];
  for (let opened = 0; opened < 3; opened += 1) {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.pause();
    const [accepted] = await once(app.server, 'connection');
    waiting.push({ client, closed: once(accepted, 'close') });
    client.write(get('/first') + get('/next').repeat(1_200));
  }
  await Promise.race(waiting.map(({ closed }) => closed));
  for (const { client } of waiting) client.destroy();
  await app.close();
});
