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
  { nameOf, statementMs }: { nameOf: (text: string) => string | undefined; statementMs: number },
): PostgresPool {
  // Part of the transaction, because a pooler drops what is set for the connection. Without the second limit, a process
  // that lost its network would keep its locks.
  const beginWithLimits =
    `begin; set local statement_timeout = ${statementMs}; ` +
    `set local idle_in_transaction_session_timeout = ${statementMs}`;
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const broken = new WeakSet<pg.PoolClient>();
  const inTransaction = new WeakSet<pg.PoolClient>();
  const withoutTransaction = new WeakMap<pg.PoolClient, unknown>();

  async function run(client: pg.PoolClient, text: string, values: readonly unknown[]) {
    const name = values.length > 0 ? nameOf(text) : undefined;
    try {
      const result = await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      if (withoutTransaction.has(client)) throw withoutTransaction.get(client);
      return result;
    } catch (failure) {
      const { error, broken: isBroken } = classifyError(withoutTransaction.get(client) ?? failure);
      if (isBroken) broken.add(client);
      throw error;
    }
  }

  // Without a transaction around it, a statement that lost a conflict has left nothing behind.
  async function runAlone(client: pg.PoolClient, text: string, values: readonly unknown[]) {
    return run(client, text, values).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
      return run(client, text, values);
    });
  }

  // Sent together with the statement after it instead of being waited for. If it fails, so does all that follows on
  // this connection, which is then given up.
  function begin(client: pg.PoolClient) {
    inTransaction.add(client);
    client.query(beginWithLimits).catch((error: unknown) => {
      withoutTransaction.set(client, error);
      broken.add(client);
    });
    return { command: 'BEGIN', rowCount: 0, rows: [] };
  }

  // Giving up the connection undoes its transaction as well, and leaves the caller the error that led here.
  async function rollBack(client: pg.PoolClient) {
    inTransaction.delete(client);
    return run(client, 'rollback', []).catch(() => {
      broken.add(client);
      return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    });
  }

  function adapt(client: pg.PoolClient): PostgresPoolClient {
    const query = (text: string, values: readonly unknown[]) => {
      if (text === 'begin') return begin(client);
      if (text === 'rollback') return rollBack(client);
      if (text === 'commit') inTransaction.delete(client);
      else if (!inTransaction.has(client)) return runAlone(client, text, values);
      return run(client, text, values);
    };
    return {
      query: query as unknown as PostgresPoolClient['query'],
      // The pool gives its client another one each time.
      release: (destroy) => client.release(broken.has(client) || destroy),
    };
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect().catch((error: unknown) => {
        throw new DatabaseUnavailable(error);
      });
      const known = clients.get(client) ?? adapt(client);
      clients.set(client, known);
      return known;
    },
  };
}
