import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../database/open-database.ts';
import type { Tables } from '../database/tables.ts';

export type DataKeyRow = Selectable<Tables['data_keys']>;

/** Oldest first. */
export const listDataKeys = (db: Database | Transaction): Promise<DataKeyRow[]> =>
  db.selectFrom('data_keys').selectAll().orderBy('created_at').orderBy('id').execute();

/** Does not overwrite: when two processes make the first keys at once, one wins. */
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

/** Until the transaction ends, no other one can write a data key; reading is possible. */
export const lockDataKeys = (trx: Transaction) => sql`LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE`.execute(trx);

export const rewrapDataKey = (
  trx: Transaction,
  { id, ...wrapped }: Pick<DataKeyRow, 'id' | 'master_key_id' | 'wrapped_key'>,
) => trx.updateTable('data_keys').set(wrapped).where('id', '=', id).execute();

export const retireDataKeys = (trx: Transaction, { except }: { except: string }) =>
  trx
    .updateTable('data_keys')
    .set({ retired_at: sql<Date>`now()` })
    .where('retired_at', 'is', null)
    .where('id', '!=', except)
    .execute();
