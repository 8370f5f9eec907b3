import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import pg from 'pg';
import { withPreparedStatements } from './prepared-statements.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

// A query that takes longer than this is a fault of ours; the shopper is told to try again instead of waiting.
const STATEMENT_TIMEOUT_MS = 15_000;
// Also the wait for a free connection in a rush. A database that is away refuses at once, whatever this says.
const CONNECT_TIMEOUT_MS = 10_000;

/** A pool on the shop's database. `onIdleError` hears of connections that broke while nobody used them. */
export function openDatabase(
  connectionString: string,
  options: { maxConnections?: number; onIdleError?: (error: Error) => void } = {},
): Database {
  const pool = new pg.Pool({
    connectionString,
    max: options.maxConnections ?? 20,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'kedai',
    // A statement may be sent before the one ahead of it is answered; they are carried out in their order.
    pipeline: true,
  });
  pool.on('error', options.onIdleError ?? (() => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool) }) });
}
