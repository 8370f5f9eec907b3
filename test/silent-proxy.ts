import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

export interface SilentProxy extends AsyncDisposable {
  /** On 127.0.0.1. */
  port: number;
  /**
   * Drops everything in both directions without closing a connection, like a cut cable or a firewall that forgets its
   * connections.
   */
  fallSilent(): void;
  /** Passes data again, except on connections that lost data: these stay silent. */
  recover(): void;
  /** Ends the next connection whose client sends these bytes when the server answers them; the answer is lost. */
  loseAnswerTo(bytes: string): void;
}

export interface SilentDatabaseProxy extends SilentProxy {
  /** URL of the database through the proxy. */
  connectionString: string;
}

/** Starts a proxy in front of a PostgreSQL server on a socket or a port. */
export async function startSilentDatabaseProxy(connectionString: string): Promise<SilentDatabaseProxy> {
  const url = new URL(connectionString);
  const host = url.searchParams.get('host') ?? url.hostname;
  const proxy = await startSilentProxy(
    host.startsWith('/') ? { path: `${host}/.s.PGSQL.${url.port}` } : { host, port: Number(url.port) },
  );
  url.searchParams.set('host', '127.0.0.1');
  url.port = String(proxy.port);
  return { ...proxy, connectionString: url.href };
}

/** Starts a TCP proxy in front of a server. */
export async function startSilentProxy(where: NetConnectOpts): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let toClose: Socket[] = [];
  let unanswered: string | undefined;

  const server = createServer((client) => {
    const upstream = connect(where);
    let isCut = false;
    let endsAtAnswer = false;
    client.on('data', (data) => {
      if (unanswered === undefined || !data.includes(unanswered)) return;
      unanswered = undefined;
      endsAtAnswer = true;
    });
    const pass = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('data', (data) => {
        if (endsAtAnswer && from === upstream) return client.destroy();
        isCut ||= isSilent;
        if (!isCut && !to.write(data)) from.pause();
      });
      to.on('drain', () => from.resume());
      from.on('close', () => {
        sockets.delete(from);
        if (isSilent) toClose.push(to);
        else to.destroy();
      });
      from.on('error', () => undefined);
    };
    pass(client, upstream);
    pass(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();

  return {
    port: typeof address === 'object' && address ? address.port : 0,
    fallSilent: () => {
      isSilent = true;
    },
    recover: () => {
      isSilent = false;
      for (const socket of toClose) socket.destroy();
      toClose = [];
    },
    loseAnswerTo: (bytes) => {
      unanswered = bytes;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
