import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
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
