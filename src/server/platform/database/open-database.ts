import { createHash } from 'node:crypto';
import {
  Kysely,
  type Transaction as KyselyTransaction,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely';
import type pg from 'pg';
import { type DatabaseLimits, databaseLimits, openPool } from './connections.ts';
import { classifyError, DatabaseUnavailable, isConflict } from './database-errors.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

export interface DatabaseOptions {
  maxConnections?: number;
  /** Off for poolers that cannot keep them; on unless said otherwise. */
  preparedStatements?: boolean;
  /** Called when a connection breaks that nobody is using. */
  onIdleError?: (error: Error) => void;
  /** Shorter ones in tests of a database that is silent. */
  limits?: DatabaseLimits | undefined;
}

/** A pool on the shop's database. */
export function openDatabase(connectionString: string, options: DatabaseOptions = {}): Database {
  const limits = options.limits ?? databaseLimits;
  const pool = openPool(connectionString, {
    applicationName: 'kedai',
    maxConnections: options.maxConnections ?? 20,
    limits,
    onIdleError: options.onIdleError ?? (() => undefined),
  });
  const kyselyPool = createKyselyPool(pool, {
    nameOf: options.preparedStatements === false ? () => undefined : createStatementNames(),
    statementMs: limits.statementMs,
  });
  return repeatingConflicts(new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kyselyPool }) }));
}

/**
 * Repeats a transaction once when PostgreSQL has undone it for a deadlock. So the callback of every transaction must bear
 * being called again: it changes nothing but the database, or what it returns.
 */
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

/**
 * Select this to commit the transaction without waiting for the disk. PostgreSQL writes it within a second or with the next
 * commit that waits; a crash of PostgreSQL before that loses the whole transaction. Every use says why that is acceptable.
 */
export const asyncCommit = sql<string>`set_config('synchronous_commit', 'off', true)`;

/**
 * The pool as Kysely uses it: failures that pass are DatabaseUnavailable, and a broken connection is not used again.
 * `nameOf` gives the name under which a statement is prepared; `statementMs` is the server's limit in a transaction, for
 * each statement and for each pause between two.
 */
function createKyselyPool(
  pool: pg.Pool,
  options: { nameOf: (text: string) => string | undefined; statementMs: number },
): PostgresPool {
  const adapted = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        const client = await pool.connect();
        const known = adapted.get(client) ?? adapt(client, options);
        adapted.set(client, known);
        return known;
      } catch (error) {
        throw new DatabaseUnavailable(error);
      }
    },
  };
}

/** Every statement of the shop passes here, so its state is kept in variables and it adds one promise a statement. */
function adapt(
  client: pg.PoolClient,
  { nameOf, statementMs }: Parameters<typeof createKyselyPool>[1],
): PostgresPoolClient {
  // Part of the transaction, because a pooler drops what is set for the connection. Without the second limit, a process
  // that lost its network would keep its locks.
  const beginWithLimits =
    `begin; set local statement_timeout = ${statementMs}; ` +
    `set local idle_in_transaction_session_timeout = ${statementMs}`;
  let isInTransaction = false;
  let beginFailure: unknown;
  let isBroken = false;

  async function run(text: string, values: readonly unknown[], isAlone: boolean) {
    const name = values.length > 0 ? nameOf(text) : undefined;
    try {
      const result = await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      if (beginFailure !== undefined) throw beginFailure;
      return result;
    } catch (failure) {
      const { error, broken } = classifyError(beginFailure ?? failure);
      isBroken ||= broken;
      // Without a transaction around it, a statement that lost a conflict has left nothing behind.
      if (isAlone && isConflict(error)) return run(text, values, false);
      throw error;
    }
  }

  // Sent together with the statement after it instead of being waited for. If it fails, so does all that follows on
  // this connection, which is then given up.
  function begin() {
    isInTransaction = true;
    client.query(beginWithLimits).catch((error: unknown) => {
      beginFailure = error;
      isBroken = true;
    });
    return { command: 'BEGIN', rowCount: 0, rows: [] };
  }

  // Giving up the connection undoes its transaction as well, and leaves the caller the error that led here.
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
    // The pool gives its client another one each time.
    release: (destroy) => client.release(isBroken || destroy),
  };
}

// Each is kept by every connection, so statements of endless variety (lists of many lengths) must not pile up.
const MAX_STATEMENTS = 300;

/**
 * `select *` or `returning *`: prepared, it fails in a running process as soon as a newer one adds a column. In
 * parentheses a star does no harm, as the columns that come out are named around it.
 */
function selectsStar(text: string): boolean {
  const outer = text.replaceAll(/\([^()]*\)/g, '');
  // Elsewhere than in a list of columns it multiplies.
  const star = /(\b(select|distinct|returning)|,)\s*\*|\.\*/i;
  return outer === text ? star.test(text) : selectsStar(outer);
}

// Planned for its own words each time: one plan for all would walk through everything to find the few with a rare name.
const isSearch = (text: string) => /\bilike\b/i.test(text);

/**
 * Names under which a connection prepares statements, once each. PostgreSQL otherwise parses and plans them anew each
 * time: for the money path's larger statements that is more work than carrying them out. A name is made of the text,
 * because a pooler hands one connection of the server to several processes: the same name means the same statement in
 * all of them (docs/decisions/0011-prepared-statements.md).
 */
function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string | undefined>();

  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.has(text)) return known;
    if (names.size >= MAX_STATEMENTS) return undefined;
    const name = selectsStar(text) || isSearch(text) ? undefined : nameFor(text);
    names.set(text, name);
    return name;
  };
}

const nameFor = (text: string) => `kedai_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
