import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import type pg from 'pg';
import type { PoolUse } from '../metrics/metrics.ts';
import { errorCodeOf, reasonOf } from '../system-errors.ts';
import type { EndedStatement } from '../tracing/tracing.ts';
import { databaseLimits, openPool, type PoolOptions, shareOf } from './connections.ts';
import { createStatementNames, type Database, type Transaction } from './database.ts';
import { classifyError, DatabaseUnavailable, isConflict } from './database-errors.ts';
import type { Tables } from './tables.ts';

export interface DatabaseOptions extends Partial<Omit<PoolOptions, 'applicationName'>> {
  /** Off for poolers that do not support them; on by default. */
  preparedStatements?: boolean;
  onStatement?: ((ended: EndedStatement) => void) | undefined;
  /** Called once with each connection. If it rejects, the connection is closed and counts as unavailable. */
  verify?: ((client: pg.PoolClient) => Promise<void>) | undefined;
  /** The setting that the reason of a failed connection names, where it is not DATABASE_URL. */
  setting?: string;
}

export const openDatabase = (connectionString: string, options: DatabaseOptions = {}): Database =>
  databaseOn(openKyselyPool(connectionString, options));

/**
 * Opens a database with shares of its connections. A share is the same database for calls that could otherwise take up
 * all connections; it uses at most as many as it is given here, all use at most `together`, and other calls wait.
 */
export function openSharedDatabase<Name extends string>(
  connectionString: string,
  { shares, together, watchShare, ...options }: DatabaseOptions & Shares<Name>,
): { db: Database; shares: Record<Name, Database> } {
  const pool = openKyselyPool(connectionString, options);
  const { waitMs } = options.limits ?? databaseLimits;
  const shared = shareOf(pool, together, waitMs).share;
  const opened = Object.entries<number>(shares).map(([name, max]) => {
    const { share, use } = shareOf(shared, max, waitMs);
    watchShare(name, use);
    return [name, databaseOn(share)];
  });
  return { db: databaseOn(pool), shares: Object.fromEntries(opened) as Record<Name, Database> };
}

interface Shares<Name extends string> {
  shares: Record<Name, number>;
  together: number;
  watchShare: (name: string, use: PoolUse) => void;
}

const databaseOn = (pool: PostgresPool): Database =>
  repeatingConflicts(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }));

function openKyselyPool(connectionString: string, options: DatabaseOptions): PostgresPool {
  const { statementMs } = options.limits ?? databaseLimits;
  const pool = openPool(connectionString, {
    maxConnections: 20,
    onIdleError: () => undefined,
    ...options,
    applicationName: 'kedai',
  });
  return createKyselyPool(pool, {
    ...options,
    nameOf: options.preparedStatements === false ? () => undefined : createStatementNames(),
    statementMs,
  });
}

// A restored database keeps the shop's id, and also has the time of the backup and an id of the restore.
const IDENTITY = `
  SELECT name, value FROM shop_facts WHERE name IN ('shop-id', 'restored-backup-of', 'restore-id') ORDER BY name`;

const SERVER = `
  SELECT pg_is_in_recovery() AS "isReplica", extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`;
interface Server {
  isReplica: boolean;
  /** Differs between two servers, even if one is a copy of the other. */
  startedAt: string;
}

// A replica that is promoted keeps its connections.
const REPLICA_LIFETIME_SECONDS = 60;

/**
 * Opens the replica without waiting for it: if it is unavailable, the catalogue fails, but buyers can still pay. The
 * same holds for a replica of a different database, e.g. of the shop before a restore, and for a server that follows no
 * primary, e.g. the primary before a failover. The primary itself can be read instead of a replica.
 */
export async function openReplica(connectionString: string, primary: Database, options: DatabaseOptions) {
  const { rows: expected } = await sql.raw(IDENTITY).execute(primary);
  return openDatabase(connectionString, {
    lifetimeSeconds: REPLICA_LIFETIME_SECONDS,
    ...options,
    setting: 'DATABASE_READ_URL',
    verify: async (client) => {
      const { rows } = await client.query(IDENTITY);
      if (JSON.stringify(rows) !== JSON.stringify(expected)) {
        throw new Error('it leads to a replica of another database than DATABASE_URL');
      }
      const [server] = (await client.query<Server>(SERVER)).rows;
      if (server?.isReplica) return;
      const [current] = (await sql.raw<Server>(SERVER).execute(primary)).rows;
      if (server?.startedAt === current?.startedAt) return;
      throw new Error('it leads to a server that is no replica, such as the primary before a failover');
    },
  });
}

/** Wraps the transaction that the caller has begun on this connection. The caller ends it. */
export const transactionOn = (client: pg.Client): Transaction =>
  new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: {
        options: {},
        connect: async () => ({ query: client.query.bind(client), release: () => undefined }) as PostgresPoolClient,
        end: async () => undefined,
      },
    }),
  }) as Transaction;

/** Repeats a transaction once after a deadlock or serialization failure: it must change nothing but the database. */
function repeatingConflicts(db: Database): Database {
  const transaction = db.transaction.bind(db);
  return Object.assign(db, {
    transaction: () => {
      const builder = transaction();
      const execute = builder.execute.bind(builder);
      const repeating: typeof execute = (callback) =>
        execute(callback).catch((error: unknown) => {
          if (!isConflict(error)) throw error;
          return execute(callback);
        });
      return Object.assign(builder, { execute: repeating });
    },
  });
}

interface AdapterOptions extends Pick<DatabaseOptions, 'onStatement' | 'verify' | 'setting'> {
  nameOf: (text: string) => string | undefined;
  statementMs: number;
}

/** Adapts the pool to Kysely: transient failures become DatabaseUnavailable; broken connections are not used again. */
function createKyselyPool(pool: pg.Pool, options: AdapterOptions): PostgresPool {
  const adapted = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        const client = await pool.connect();
        if (options.verify && !adapted.has(client)) {
          await options.verify(client).catch((error: unknown) => {
            client.release(true);
            throw error;
          });
        }
        const known = adapted.get(client) ?? adapt(client, options);
        adapted.set(client, known);
        return known;
      } catch (error) {
        if (options.setting === undefined) throw new DatabaseUnavailable(error);
        const reason = `${options.setting} cannot be used: ${reasonOf(error)}`;
        throw new DatabaseUnavailable(new Error(reason, { cause: error }));
      }
    },
  };
}

/** Adapts a connection. Every statement passes, so state is in variables, with one more promise per statement. */
function adapt(client: pg.PoolClient, { nameOf, statementMs, onStatement }: AdapterOptions): PostgresPoolClient {
  // Set in the transaction, because a pooler drops session settings. Without the idle limit, a process that lost its
  // network would keep its locks.
  const beginWithLimits =
    `begin; set local statement_timeout = ${statementMs}; ` +
    `set local idle_in_transaction_session_timeout = ${statementMs}`;
  let isInTransaction = false;
  let beginFailure: unknown;
  let isBroken = false;

  async function run(text: string, values: readonly unknown[], isAlone: boolean) {
    const name = values.length > 0 ? nameOf(text) : undefined;
    const startedAt = performance.now();
    try {
      const result = await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      if (beginFailure !== undefined) throw beginFailure;
      onStatement?.({ text, ms: performance.now() - startedAt });
      return result;
    } catch (failure) {
      const { error, broken } = classifyError(beginFailure ?? failure);
      onStatement?.({
        text,
        ms: performance.now() - startedAt,
        errorCode: errorCodeOf(beginFailure ?? failure) || 'error',
      });
      isBroken ||= broken;
      // Outside of a transaction, a statement that lost a conflict has changed nothing, so it can be repeated.
      if (isAlone && isConflict(error)) return run(text, values, false);
      throw error;
    }
  }

  // BEGIN is sent together with the next statement, without waiting for its result. If BEGIN fails, so does every later
  // statement on this connection, which is then closed.
  function begin() {
    isInTransaction = true;
    client.query(beginWithLimits).catch((error: unknown) => {
      beginFailure = error;
      isBroken = true;
    });
    return { command: 'BEGIN', rowCount: 0, rows: [] };
  }

  // A failed rollback is ignored: closing the connection rolls back, too, and the caller keeps the first error.
  async function rollBack() {
    isInTransaction = false;
    return run('rollback', [], false).catch(() => {
      isBroken = true;
      return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    });
  }

  function query(text: string, values: readonly unknown[]) {
    if (text === 'begin') return begin();
    if (text === 'rollback') return rollBack();
    const isAlone = !isInTransaction;
    if (text === 'commit') isInTransaction = false;
    return run(text, values, isAlone);
  }

  return {
    query: query as unknown as PostgresPoolClient['query'],
    // The pool replaces this method of its client each time.
    release: (destroy) => client.release(isBroken || destroy),
  };
}
