import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface SilentProxy extends AsyncDisposable {
  /** The database as it is reached through the proxy. */
  connectionString: string;
  /**
   * From now on nothing gets through, in either direction, and nobody is told: what a cut cable or a firewall that
   * forgets its connections looks like. Connections stay open.
   */
  fallSilent(): void;
  /** New connections get through again; those that were open stay silent. */
  recover(): void;
}

/** A TCP proxy in front of a PostgreSQL on a socket or a port. */
export async function startSilentProxy(connectionString: string): Promise<SilentProxy> {
  const database = new URL(connectionString);
  const host = database.searchParams.get('host') ?? database.hostname;
  const where = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${database.port}` }
    : { host, port: Number(database.port) };
  const sockets = new Set<Socket>();
  let isSilent = false;
  let passing: { silent: boolean }[] = [];

  const server = createServer((client) => {
    const pair = { silent: isSilent };
    passing.push(pair);
    const upstream = connect(where);
    const pass = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('data', (data) => pair.silent || to.write(data));
      from.on('close', () => {
        sockets.delete(from);
        if (!pair.silent) to.destroy();
      });
      from.on('error', () => undefined);
    };
    pass(client, upstream);
    pass(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const url = new URL(connectionString);
  url.searchParams.set('host', '127.0.0.1');
  url.port = String(port);

  return {
    connectionString: url.href,
    fallSilent: () => {
      isSilent = true;
      for (const pair of passing) pair.silent = true;
      passing = [];
    },
    recover: () => {
      isSilent = false;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
