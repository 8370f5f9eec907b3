import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { PoolUse } from '../metrics/metrics.ts';
import { StartError } from '../system-errors.ts';
import { DatabaseUnavailable } from './database-errors.ts';

export const databaseLimits = {
  connectMs: 5_000,
  /** Limit for getting a connection from the pool, including the time to open one. */
  waitMs: 10_000,
  /** Limits that the server enforces in a transaction: for one statement, and for the pause until the next one. */
  statementMs: 15_000,
  /** Limit for the result of one statement; longer than the server's limit, so that the server's error comes first. */
  answerMs: 17_000,
};
export type DatabaseLimits = typeof databaseLimits;

// TCP probes an idle connection after this time.
const KEEP_ALIVE_MS = 10_000;
// Longer than the pause of the background loops, which therefore find a connection that has done their work before: a new
// one maps PostgreSQL's shared memory page by page, and its first large statement takes several times as long as the next.
const IDLE_MS = 15_000;

export interface PoolOptions {
  applicationName: string;
  maxConnections: number;
  limits?: DatabaseLimits | undefined;
  /** A connection that is older is closed when it is returned. Without it, a busy connection is kept. */
  lifetimeSeconds?: number;
  onIdleError: (error: Error) => void;
  /** Gets the pool, to report its use. */
  watch?: ((pool: pg.Pool) => void) | undefined;
}

/** Opens a pool whose broken connections do not end the process, and whose statements do not wait forever. */
export function openPool(connectionString: string, options: PoolOptions): pg.Pool {
  const { connectMs, waitMs, answerMs } = options.limits ?? databaseLimits;
  // The pool calls this with `new`. The pool's limit covers waiting and connecting; this sets one for connecting.
  function openClient(config: pg.ClientConfig) {
    return withErrorListener(new pg.Client({ ...config, connectionTimeoutMillis: connectMs }));
  }
  const pool = new pg.Pool({
    connectionString,
    max: options.maxConnections,
    application_name: options.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: options.lifetimeSeconds ?? 0,
    // After this time, the client destroys its connection, so that a late result is not taken for that of the next.
    query_timeout: answerMs,
    // A statement may be sent before the previous one has its result; the server executes them in order.
    pipeline: true,
    connectionTimeoutMillis: waitMs,
    Client: openClient as unknown as typeof pg.Client,
  });
  pool.on('error', options.onIdleError);
  options.watch?.(pool);
  return pool;
}

/**
 * Uses at most `max` connections of a pool at a time. A call that has no turn after `waitMs` fails, as at the pool, also
 * if no connection is returned, e.g. because each of its holders waits for another one.
 */
export function shareOf(pool: PostgresPool, max: number, waitMs: number): { share: PostgresPool; use: PoolUse } {
  const waiting = new Set<() => void>();
  let taken = 0;

  async function takeTurn(): Promise<void> {
    if (taken < max) {
      taken += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(new DatabaseUnavailable(new Error('no connection was free')));
    }, waitMs);
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    waiting.add(begin);
    await promise;
  }

  /** Gives the turn to the call that has waited longest. */
  function endTurn(): void {
    const [next] = waiting;
    if (next === undefined) {
      taken -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  async function connect(): Promise<PostgresPoolClient> {
    await takeTurn();
    try {
      const client = await pool.connect();
      const release = (destroy?: boolean) => {
        client.release(destroy);
        endTurn();
      };
      return { query: client.query, release } as PostgresPoolClient;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  const use: PoolUse = {
    options: { max },
    idleCount: 0,
    get totalCount() {
      return taken;
    },
    get waitingCount() {
      return waiting.size;
    },
  };
  return { share: { options: pool.options, connect, end: async () => undefined }, use };
}

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

/** Without a listener, the error of a broken connection would end the process. The next statement reports it. */
const withErrorListener = (client: pg.Client): pg.Client => client.on('error', () => undefined);

const LIMIT_MS = 10_000;
const OLDEST_VERSION = 15;

/**
 * Checks at the start that the database can be used and, in production, that it loses no commit in a crash. Throws a
 * one-line StartError without the URL, because the URL contains the password.
 */
export async function checkConnection(
  connectionString: string,
  { production = false, limitMs = LIMIT_MS }: { production?: boolean; limitMs?: number } = {},
): Promise<void> {
  try {
    const silence = wait(limitMs, undefined, { ref: false });
    const server = await Promise.race([describeServer(connectionString), silence]);
    if (!server) throw new StartError(`DATABASE_URL ${SILENT}`);
    const { version, readOnly, encoding, isolation, synchronousCommit } = server;
    if (version < OLDEST_VERSION) {
      throw new StartError(`DATABASE_URL leads to PostgreSQL ${version}: the shop needs ${OLDEST_VERSION} or newer.`);
    }
    if (readOnly) throw new StartError('DATABASE_URL leads to a read-only database: use the primary server.');
    if (encoding !== 'UTF8') {
      throw new StartError(`DATABASE_URL leads to a database in ${encoding}: create it with ENCODING 'UTF8'.`);
    }
    if (isolation !== 'read committed') {
      const remedy = "set its default_transaction_isolation to 'read committed'.";
      throw new StartError(`DATABASE_URL leads to a database whose transactions are ${isolation}: ${remedy}`);
    }
    if (production && synchronousCommit === 'off') {
      const remedy = 'turn its synchronous_commit on.';
      throw new StartError(`DATABASE_URL leads to a database that can lose a paid order in a crash: ${remedy}`);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`DATABASE_URL ${explain(error)}`, { cause: error });
  }
}

interface ServerDescription {
  version: number;
  readOnly: boolean;
  encoding: string;
  isolation: string;
  synchronousCommit: string;
}

const describeServer = (connectionString: string) =>
  withConnection(connectionString, async (client) => {
    const { rows } = await client.query<ServerDescription>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version,
        current_setting('transaction_read_only')::boolean AS "readOnly",
        current_setting('server_encoding') AS encoding,
        current_setting('transaction_isolation') AS isolation,
        current_setting('synchronous_commit') AS "synchronousCommit"`,
    );
    return rows[0];
  });

const SILENT = 'leads to a server that does not answer: check host, port and firewall.';
const REFUSED = 'leads to a port where nothing listens: start PostgreSQL, or correct host and port.';
const UNKNOWN_HOST = 'names a host that is not known: correct it, or check the name service.';
const NO_LOGIN = 'has a user or a password that the server refuses: correct them.';
const NO_TLS = 'asks for TLS in a way that the server does not offer: correct sslmode.';
const OF_CERTIFICATE = /CERT|UNABLE_TO_VERIFY/;

// Keyed by the error codes of Node and of PostgreSQL.
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
  // A host name with several addresses fails with one error per address; explain the last one.
  const last = error instanceof AggregateError ? error.errors.at(-1) : error;
  const { code = '', message = '', syscall } = last as { code?: string; message?: string; syscall?: string };
  if (syscall === 'open')
    return `names a certificate file that the shop cannot read (${code}): correct its path or mode.`;
  const known = explanations[code];
  if (known !== undefined) return known;
  if (OF_CERTIFICATE.test(code)) {
    return `leads to a server where a certificate is not accepted (${code}): correct host, sslrootcert or sslcert, or the certificate.`;
  }
  if (/timeout/i.test(message)) return SILENT;
  if (/SSL|TLS|CERT/i.test(`${code} ${message}`)) return NO_TLS;
  if (/password|SASL|SCRAM/i.test(message)) return NO_LOGIN;
  return last instanceof pg.DatabaseError
    ? `leads to a server that refuses the shop (${code}): see the server's log.`
    : 'leads to a server that does not answer as PostgreSQL: correct host and port.';
}
