import { sql } from 'kysely';
import { type Database, firstRowOf, rowOf, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import { SET_ASIDE } from '../inventory/inventory.queries.ts';
import { wasRead } from '../inventory/restore.queries.ts';

const RESTORED_FROM = 'restored-backup-of';

/** Returns when the last restored backup was taken; undefined if this database was never restored. */
export async function findRestoredBackup(db: Database): Promise<Date | undefined> {
  const fact = await firstRowOf<{ takenAt: Date }>(db)`
    SELECT value::timestamptz AS "takenAt" FROM shop_facts WHERE name = ${RESTORED_FROM}`;
  return fact?.takenAt;
}

/**
 * Also stores an id of this restore, so that open-replica.ts recognises a replica of another restore of the same
 * backup.
 */
export const storeRestoredBackup = (trx: Transaction, takenAt: string) =>
  sql`
    INSERT INTO shop_facts (name, value)
    VALUES (${RESTORED_FROM}, ${takenAt}), ('restore-id', gen_random_uuid()::text)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`.execute(trx);

/**
 * Sets aside all items except burnt ones, because even a sold item may have been returned since and sold to another
 * buyer. Voids the items on sale, and returns their number.
 */
export async function setItemsAside(trx: Transaction, now: Date): Promise<number> {
  const { onSale } = await rowOf<{ onSale: number }>(trx)`
    SELECT count(*)::integer AS "onSale" FROM items WHERE state = 'available'`;
  await sql`
    UPDATE items SET set_aside_at = ${now},
      void_reason = CASE WHEN state = 'available' THEN ${SET_ASIDE} ELSE void_reason END,
      state = CASE WHEN state = 'available' THEN 'voided' ELSE state END
    WHERE state <> 'burnt'`.execute(trx);
  return onSale;
}

/** Sets the stock of all counted goods to 0, with ledger entries, and returns the earlier stock. */
export const emptyShelves = (trx: Transaction, now: Date) =>
  rowsOf<{ name: string; units: number }>(trx)`
    WITH counted AS (SELECT id, name, stock AS units FROM products WHERE stock > 0 ORDER BY id FOR NO KEY UPDATE),
    emptied AS (UPDATE products SET stock = 0 FROM counted WHERE products.id = counted.id),
    entered AS (
      INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
      SELECT id, NULL, -units, 'counted', ${now}::timestamptz FROM counted
    )
    SELECT name, units FROM counted`;

/**
 * Ends sessions, downloads, and mailed links and codes, and forgets devices. Returns the number of unsent mails, which
 * no job will send.
 */
export async function endOpenAccess(trx: Transaction, now: Date): Promise<number> {
  await sql`UPDATE sessions SET revoked_at = ${now} WHERE revoked_at IS NULL`.execute(trx);
  await sql`DELETE FROM devices`.execute(trx);
  await sql`UPDATE verifications SET expires_at = ${now} WHERE expires_at > ${now}`.execute(trx);
  await sql`UPDATE download_grants SET expires_at = ${now} WHERE expires_at > ${now}`.execute(trx);
  const { unsent } = await rowOf<{ unsent: number }>(trx)`
    SELECT count(*)::integer AS unsent FROM mails WHERE sent_at IS NULL AND refused_at IS NULL AND recipient <> ''`;
  return unsent;
}

/** Lists items that were set aside, belong to no order and were read by nobody: `limit` of them, by id. */
export const listReleasable = (db: Database, { after, limit }: { after: string; limit: number }) =>
  rowsOf<{ id: string; product: string; added_at: Date }>(db)`
    SELECT items.id, products.name AS product, items.added_at FROM items JOIN products ON products.id = product_id
    WHERE items.id > ${after} AND ${isReleasable} ORDER BY items.id LIMIT ${limit}`;

/** Counts these items, except those in `without`. */
export const countReleasable = (db: Database, without: readonly string[]) =>
  rowOf<{ count: number }>(db)`
    SELECT count(*)::integer AS count FROM items WHERE ${isReleasable} AND items.id <> ALL (${without}::uuid[])`;

const isReleasable = sql<boolean>`(items.set_aside_at IS NOT NULL AND items.order_line_id IS NULL
  AND items.state IN ('voided', 'quarantined') AND NOT ${wasRead})`;

/**
 * Releases set-aside items: those that the restore took off sale are on sale again, the others can be restored like any
 * withdrawn item. Returns their number.
 */
export async function releaseSetAside(trx: Transaction, itemIds: readonly string[], now: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE items SET set_aside_at = NULL,
      state = CASE WHEN void_reason = ${SET_ASIDE} THEN 'available' ELSE state END,
      restored_at = CASE WHEN void_reason = ${SET_ASIDE} THEN ${now} ELSE restored_at END,
      void_reason = nullif(void_reason, ${SET_ASIDE})
    WHERE id = ANY (${itemIds}::uuid[]) AND ${isReleasable}`.execute(trx);
  return Number(numAffectedRows);
}

/** How many of these items each product has. */
export const countByProduct = (db: Database, itemIds: readonly string[]) =>
  rowsOf<{ product: string; units: number }>(db)`
    SELECT products.name AS product, count(*)::integer AS units FROM items JOIN products ON products.id = product_id
    WHERE items.id = ANY (${itemIds}::uuid[]) GROUP BY products.id ORDER BY products.name, products.id`;
