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
import type { EndedStatement } from '../tracing/tracing.ts';
import { databaseLimits, openPool, type PoolOptions } from './connections.ts';
import { classifyError, DatabaseUnavailable, isConflict } from './database-errors.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

/** A tag that runs a statement and answers its rows, as in rowsOf<{ id: string }>(db)`SELECT id FROM users`. */
export const rowsOf =
  <Row>(db: Database) =>
  async (...statement: Parameters<typeof sql>): Promise<Row[]> =>
    (await sql<Row>(...statement).execute(db)).rows;

export const firstRowOf =
  <Row>(db: Database) =>
  async (...statement: Parameters<typeof sql>): Promise<Row | undefined> =>
    (await rowsOf<Row>(db)(...statement))[0];

/** For a statement that always has a row, such as a count. */
export const rowOf =
  <Row>(db: Database) =>
  async (...statement: Parameters<typeof sql>): Promise<Row> => {
    const row = await firstRowOf<Row>(db)(...statement);
    if (!row) throw new Error('The database answered no row');
    return row;
  };

export interface DatabaseOptions extends Partial<Omit<PoolOptions, 'applicationName'>> {
  /** Off for poolers that do not support them; on by default. */
  preparedStatements?: boolean;
  /** Called after every statement. */
  onStatement?: ((ended: EndedStatement) => void) | undefined;
}

export function openDatabase(connectionString: string, options: DatabaseOptions = {}): Database {
  const limits = options.limits ?? databaseLimits;
  const pool = openPool(connectionString, {
    applicationName: 'kedai',
    maxConnections: options.maxConnections ?? 20,
    limits,
    onIdleError: options.onIdleError ?? (() => undefined),
    watch: options.watch,
  });
  const kyselyPool = createKyselyPool(pool, {
    nameOf: options.preparedStatements === false ? () => undefined : createStatementNames(),
    statementMs: limits.statementMs,
    onStatement: options.onStatement,
  });
  return repeatingConflicts(new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kyselyPool }) }));
}

/** The transaction that the caller has begun on this connection, and ends. */
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

/** Repeats a transaction once after a deadlock. So its callback may change nothing but the database. */
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

/** The pool for Kysely: transient failures are DatabaseUnavailable, a broken connection is not used again. */
function createKyselyPool(
  pool: pg.Pool,
  options: Pick<DatabaseOptions, 'onStatement'> & { nameOf: (text: string) => string | undefined; statementMs: number },
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

/** Every statement of the shop passes here: hence state in variables, and only one more promise for each statement. */
function adapt(
  client: pg.PoolClient,
  { nameOf, statementMs, onStatement }: Parameters<typeof createKyselyPool>[1],
): PostgresPoolClient {
  // Set in the transaction, because a pooler drops settings of the connection. Without the second limit, a process that lost
  // its network would keep its locks.
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
      onStatement?.({ text, ms: performance.now() - startedAt, errorCode: codeOf(beginFailure ?? failure) });
      isBroken ||= broken;
      // Outside of a transaction, a statement that lost a conflict has changed nothing.
      if (isAlone && isConflict(error)) return run(text, values, false);
      throw error;
    }
  }

  // Sent together with the next statement instead of waiting for the result. If BEGIN fails, so does every later statement
  // on this connection, which is then closed.
  function begin() {
    isInTransaction = true;
    client.query(beginWithLimits).catch((error: unknown) => {
      beginFailure = error;
      isBroken = true;
    });
    return { command: 'BEGIN', rowCount: 0, rows: [] };
  }

  // Closing the connection rolls its transaction back as well, and the caller keeps the error that led here.
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

const codeOf = (failure: unknown) => String((failure as { code?: unknown }).code ?? 'error');

// Every connection keeps each one, so statements of endless variety (lists of many lengths) must not accumulate.
const MAX_STATEMENTS = 300;

/** A prepared star fails as soon as a newer process adds a column, unless it is inside of parentheses. */
function selectsStar(text: string): boolean {
  const outer = text.replaceAll(/\([^()]*\)/g, '');
  // Outside of a list of columns a star multiplies.
  const star = /(\b(select|distinct|returning)|,)\s*\*|\.\*/i;
  return outer === text ? star.test(text) : selectsStar(outer);
}

// Planned for its own words each time: a generic plan would read the whole table to find a rare name.
const isSearch = (text: string) => /\bilike\b/i.test(text);

/**
 * Names under which a connection prepares statements, which saves parsing and planning the larger ones of the checkout
 * each time. A hash of the text, because a pooler shares connections among processes
 * (docs/decisions/0011-prepared-statements.md).
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
