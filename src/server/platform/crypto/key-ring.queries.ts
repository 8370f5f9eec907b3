import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../database/open-database.ts';
import type { Tables } from '../database/tables.ts';

export type DataKeyRow = Selectable<Tables['data_keys']>;

/** Oldest first. */
export function listDataKeys(db: Database | Transaction): Promise<DataKeyRow[]> {
  return db.selectFrom('data_keys').selectAll().orderBy('created_at').orderBy('id').execute();
}

/** Keeps what is there: of two processes that make the first keys together, one wins. */
export async function insertDataKeys(
  db: Database | Transaction,
  keys: readonly Pick<Insertable<Tables['data_keys']>, 'id' | 'master_key_id' | 'wrapped_key'>[],
): Promise<void> {
  const rows = keys.map((key) => ({ ...key, created_at: sql<Date>`now()` }));
  await db
    .insertInto('data_keys')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
