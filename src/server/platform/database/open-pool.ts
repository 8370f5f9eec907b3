import pg from 'pg';

/** How long the shop waits for its database. */
export interface DatabaseLimits {
  /** For a new connection. */
  connectMs: number;
  /** For a connection of the pool to become free. */
  waitMs: number;
  /** In a transaction, on the server: for one statement, and for the pause until the next one. */
  statementMs: number;
  /** For the answer to one statement; longer than the server's own limit, so that the server's error comes first. */
  answerMs: number;
}

export const databaseLimits: DatabaseLimits = {
  connectMs: 5_000,
  waitMs: 10_000,
  statementMs: 15_000,
  answerMs: 17_000,
};

// The time after which TCP looks for the other side of an idle connection.
const KEEP_ALIVE_MS = 10_000;

export interface PoolOptions {
  applicationName: string;
  maxConnections: number;
  limits?: DatabaseLimits | undefined;
  /** Called when a connection breaks that nobody is using. */
  onIdleError: (error: Error) => void;
}

/** A pool of connections that end neither the process when they break nor its work when the database stays silent. */
export function openPool(connectionString: string, options: PoolOptions): pg.Pool {
  const { connectMs, waitMs, answerMs } = options.limits ?? databaseLimits;
  // The pool calls it with `new`. Its own limit is for waiting and for connecting; connecting gets one of its own here.
  function openClient(config: pg.ClientConfig) {
    return withErrorListener(new pg.Client({ ...config, connectionTimeoutMillis: connectMs }));
  }
  const pool = new pg.Pool({
    connectionString,
    max: options.maxConnections,
    application_name: options.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // After this, the client destroys its connection: an answer that still comes must not be taken for the next one's.
    query_timeout: answerMs,
    // A statement may be sent before the one ahead of it is answered; they are carried out in their order.
    pipeline: true,
    connectionTimeoutMillis: waitMs,
    Client: openClient as unknown as typeof pg.Client,
  });
  pool.on('error', options.onIdleError);
  return pool;
}

/** One connection outside of any pool; `work` is all that it is for. */
export async function withConnection<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { connectMs } = databaseLimits;
  const client = withErrorListener(
    new pg.Client({ connectionString, connectionTimeoutMillis: connectMs, keepAlive: true }),
  );
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * A client announces a broken connection as an event, which ends the process when nobody listens, and the pool takes
 * its own listener off while the client is in use. The user of the client learns it from the next statement.
 */
function withErrorListener(client: pg.Client): pg.Client {
  return client.on('error', () => undefined);
}
