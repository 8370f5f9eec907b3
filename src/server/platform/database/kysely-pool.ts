import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { classifyError, DatabaseUnavailable, isConflict } from './database-errors.ts';

/**
 * The pool as Kysely uses it: failures that pass are DatabaseUnavailable, and a broken connection is not used again.
 * `nameOf` gives the name under which a statement is prepared; `statementMs` is the server's limit in a transaction, for
 * each statement and for each pause between two.
 */
export function createKyselyPool(
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
