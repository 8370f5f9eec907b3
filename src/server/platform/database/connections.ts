import pg from 'pg';
import { StartError } from '../start-error.ts';

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
export async function withConnection<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
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

const LIMIT_MS = 10_000;
const OLDEST_VERSION = 15;

/**
 * Connects to the database of DATABASE_URL as the start's first step. Throws a StartError of one line when that fails
 * or takes longer than `limitMs` in all; the line never has the address, because that holds the password.
 */
export async function checkConnection(connectionString: string, limitMs = LIMIT_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StartError(`DATABASE_URL ${SILENT}`)), limitMs);
  });
  try {
    const { version, readOnly } = await Promise.race([describeServer(connectionString), silence]);
    if (version < OLDEST_VERSION) {
      throw new StartError(`DATABASE_URL leads to PostgreSQL ${version}: the shop needs ${OLDEST_VERSION} or newer.`);
    }
    if (readOnly) throw new StartError('DATABASE_URL leads to a read-only database: use the primary server.');
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`DATABASE_URL ${explain(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function describeServer(connectionString: string): Promise<{ version: number; readOnly: boolean }> {
  return withConnection(connectionString, async (client) => {
    const { rows } = await client.query<{ version: number; read_only: boolean }>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version,
        current_setting('transaction_read_only')::boolean AS read_only`,
    );
    return { version: rows[0]?.version ?? 0, readOnly: rows[0]?.read_only ?? false };
  });
}

const SILENT = 'leads to a server that does not answer: check host, port and firewall.';
const REFUSED = 'leads to a port where nothing listens: start PostgreSQL, or correct host and port.';
const UNKNOWN_HOST = 'names a host that is not known: correct it, or check the name service.';
const NO_LOGIN = 'has a user or a password that the server refuses: correct them.';
const NO_TLS = 'asks for TLS in a way that the server does not offer: correct sslmode.';

// By Node's error codes and PostgreSQL's.
const explanations: Record<string, string> = {
  ECONNREFUSED: REFUSED,
  ENOENT: 'names a socket that is not there: start PostgreSQL, or correct the path.',
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: SILENT,
  ENETUNREACH: SILENT,
  ETIMEDOUT: SILENT,
  '28000': NO_LOGIN,
  '28P01': NO_LOGIN,
  '3D000': 'names a database that does not exist: create it, or correct the name.',
  '42501': 'has a user who may not use the database: grant it CONNECT.',
  '53300': 'leads to a server that has no connection left: raise its max_connections.',
  '57P03': 'leads to a server that is starting or stopping: try again in a moment.',
};

function explain(error: unknown): string {
  // Of a name with several addresses, the last that was tried.
  const last = error instanceof AggregateError ? error.errors.at(-1) : error;
  const { code = '', message = '' } = last as { code?: string; message?: string };
  const known = explanations[code];
  if (known !== undefined) return known;
  if (/timeout/i.test(message)) return SILENT;
  if (/SSL|TLS|CERT/i.test(`${code} ${message}`)) return NO_TLS;
  if (/password|SASL|SCRAM/i.test(message)) return NO_LOGIN;
  return last instanceof pg.DatabaseError
    ? `leads to a server that refuses the shop (${code}): see the server's log.`
    : 'leads to a server that does not answer as PostgreSQL: correct host and port.';
}
