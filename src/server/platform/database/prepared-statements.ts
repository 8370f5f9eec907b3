import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

// Each is kept by every connection, so statements of endless variety (lists of many lengths) must not pile up.
const MAX_STATEMENTS = 300;

/**
 * `select *` or `returning *`: prepared, it fails in a running process as soon as a newer one adds a column. In
 * parentheses a star does no harm, as the columns that come out are named around it.
 */
function answersStar(text: string): boolean {
  const outer = text.replaceAll(/\([^()]*\)/g, '');
  // Elsewhere than in a list of columns it multiplies.
  const star = /(\b(select|distinct|returning)|,)\s*\*|\.\*/i;
  return outer === text ? star.test(text) : answersStar(outer);
}

// Planned for its own words each time: one plan for all would walk through everything to find the few with a rare name.
const isSearch = (text: string) => /\bilike\b/i.test(text);

/**
 * The pool with every statement prepared once a connection, which PostgreSQL otherwise parses and plans anew each
 * time: for the money path's larger statements that is more work than carrying them out.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string | undefined>();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const withoutTransaction = new WeakMap<pg.PoolClient, Error>();

  function nameOf(text: string): string | undefined {
    if (names.has(text)) return names.get(text);
    if (names.size >= MAX_STATEMENTS) return undefined;
    const name = answersStar(text) || isSearch(text) ? undefined : `kedai_${names.size}`;
    names.set(text, name);
    return name;
  }

  function prepare(client: pg.PoolClient): PostgresPoolClient {
    const query = async <Row>(text: string, values: readonly unknown[]) => {
      if (text === 'begin') return begun(client) as PostgresQueryResult<Row>;
      const name = values.length > 0 ? nameOf(text) : undefined;
      const result = await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      const failure = withoutTransaction.get(client);
      if (failure && text !== 'rollback') throw failure;
      return result as PostgresQueryResult<Row>;
    };
    return {
      query: query as PostgresPoolClient['query'],
      // The pool gives its client another one each time.
      release: (destroy) => client.release(withoutTransaction.get(client) ?? destroy),
    };
  }

  // Travels with the statement after it instead of being waited for. Should it fail, so does all that follows on this
  // connection, which is then given up.
  function begun(client: pg.PoolClient): PostgresQueryResult<never> {
    client.query('begin').catch((error: Error) => withoutTransaction.set(client, error));
    return { command: 'BEGIN' as 'SELECT', rowCount: 0, rows: [] };
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
