import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../database/open-database.ts';
import type { Tables } from '../database/tables.ts';

export type WrappedKey = Pick<Selectable<Tables['data_keys']>, 'id' | 'master_key_id' | 'wrapped_key'>;

/** Oldest first. */
export const listDataKeys = (db: Database) =>
  db.selectFrom('data_keys').selectAll().orderBy('created_at').orderBy('id').execute();

/** Does not overwrite: of two processes that create a key at once, one wins. */
export const insertDataKey = (db: Database, { id, master_key_id, wrapped_key }: WrappedKey) =>
  sql`
    INSERT INTO data_keys (id, master_key_id, wrapped_key, created_at)
    VALUES (${id}, ${master_key_id}, ${wrapped_key}, now()) ON CONFLICT (id) DO NOTHING`.execute(db);

/** Keeps other transactions from writing a data key until this one ends. Reading stays possible. */
export const lockDataKeys = (trx: Transaction) => sql`LOCK TABLE data_keys IN SHARE ROW EXCLUSIVE MODE`.execute(trx);

export const rewrapDataKey = (trx: Transaction, { id, ...wrapped }: WrappedKey) =>
  trx.updateTable('data_keys').set(wrapped).where('id', '=', id).execute();

export const retireDataKeys = (trx: Transaction, { except }: { except: string }) =>
  sql`UPDATE data_keys SET retired_at = now() WHERE retired_at IS NULL AND id <> ${except}`.execute(trx);
