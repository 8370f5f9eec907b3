import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import { isConflict } from './database-errors.ts';
import { createKyselyPool } from './kysely-pool.ts';
import { type DatabaseLimits, databaseLimits, openPool } from './open-pool.ts';
import { createStatementNames } from './prepared-statements.ts';
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
