import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a database that can stop to pass anything on, in both directions, without closing. */
export interface SilentProxy {
  port: number;
  setSilent(silent: boolean): void;
  close(): void;
}

export async function startSilentProxy(upstream: { host: string; port: number }): Promise<SilentProxy> {
  const open = new Set<Socket>();
  let silent = false;
  const server = createServer((client) => {
    const database = upstream.host.startsWith('/')
      ? connect(`${upstream.host}/.s.PGSQL.${upstream.port}`)
      : connect(upstream.port, upstream.host);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(from);
      from.on('data', (bytes) => {
        if (silent) return;
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => from.resume());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    setSilent: (wanted) => {
      silent = wanted;
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
