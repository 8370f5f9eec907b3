import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

// Each is kept by every connection, so statements of endless variety (lists of many lengths) must not pile up.
const MAX_STATEMENTS = 300;

// `select *` or `returning *`: prepared, it fails in a running process as soon as a newer one adds a column.
const hasStar = /(^|[\s."])\*/;

/**
 * The pool with every statement prepared once a connection, which PostgreSQL otherwise parses and plans anew each
 * time: for the money path's larger statements that is more work than carrying them out.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string | undefined>();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

  function nameOf(text: string): string | undefined {
    if (names.has(text)) return names.get(text);
    if (names.size >= MAX_STATEMENTS) return undefined;
    const name = hasStar.test(text) ? undefined : `kedai_${names.size}`;
    names.set(text, name);
    return name;
  }

  function prepare(client: pg.PoolClient): PostgresPoolClient {
    const query = async <Row>(text: string, values: readonly unknown[]) => {
      const name = values.length > 0 ? nameOf(text) : undefined;
      const result = await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      return result as PostgresQueryResult<Row>;
    };
    return {
      query: query as PostgresPoolClient['query'],
      // The pool gives its client another one each time.
      release: (destroy) => client.release(destroy),
    };
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      const known = clients.get(client) ?? prepare(client);
      clients.set(client, known);
      return known;
    },
  };
}
