import { sql } from 'kysely';
import type { OrderState } from '../../../shared/orders.ts';
import {
  columnOf,
  type Database,
  fieldOf,
  firstFieldOf,
  hasRow,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import { RESTORED_AT } from '../catalog/counted-stock.queries.ts';
import { isOfDeletedProduct, SET_ASIDE, wasRead } from '../inventory/inventory.queries.ts';

const RESTORED_FROM = 'restored-backup-of';
const NEWEST_INTENT = 'restored-backup-newest-intent';

/** Returns when the last restored backup was taken; undefined if this database was never restored. */
export const findRestoredBackup = (db: Database) =>
  firstFieldOf<Date>(db)`SELECT value::timestamptz FROM shop_facts WHERE name = ${RESTORED_FROM}`;

/** Returns the payment of the newest order in the backup; undefined without one. */
export const findNewestIntent = (db: Database) =>
  firstFieldOf<string>(db)`SELECT value FROM shop_facts WHERE name = ${NEWEST_INTENT} AND value <> ''`;

/**
 * Stores the backup that was loaded, and the payment of its newest order, which later orders cannot be told from if the
 * clock was ahead. Also stores the time and an id of this restore, so that openReplica recognises a replica of another
 * restore.
 */
export const storeRestoredBackup = (trx: Transaction, takenAt: string, now: Date) =>
  sql`
    INSERT INTO shop_facts (name, value)
    VALUES (${RESTORED_FROM}, ${takenAt}), (${RESTORED_AT}, ${now.toISOString()}), ('restore-id', gen_random_uuid()::text),
      (${NEWEST_INTENT}, coalesce((
        SELECT payment_intent_id FROM orders WHERE payment_intent_id IS NOT NULL ORDER BY created_at DESC LIMIT 1), ''))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`.execute(trx);

/**
 * Sets aside all items except burnt ones, because even a sold item may have been returned since and sold to another
 * buyer. Voids the items on sale, and returns their number.
 */
export async function setItemsAside(trx: Transaction, now: Date): Promise<number> {
  const onSale = await fieldOf<number>(trx)`SELECT count(*)::integer FROM items WHERE state = 'available'`;
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

/** Ends sessions, downloads, mailed links and codes, forgets devices. Returns the unsent mails, which no job sends. */
export async function endOpenAccess(trx: Transaction, now: Date): Promise<number> {
  await sql`UPDATE sessions SET revoked_at = ${now} WHERE revoked_at IS NULL`.execute(trx);
  await sql`DELETE FROM devices`.execute(trx);
  await sql`UPDATE verifications SET expires_at = ${now} WHERE expires_at > ${now}`.execute(trx);
  // A used code of an order opens the order for a day.
  await sql`DELETE FROM verifications WHERE purpose = 'order-lookup' AND used_at IS NOT NULL`.execute(trx);
  await sql`UPDATE download_grants SET expires_at = ${now} WHERE expires_at > ${now}`.execute(trx);
  return fieldOf<number>(trx)`
    SELECT count(*)::integer FROM mails WHERE sent_at IS NULL AND refused_at IS NULL AND recipient <> ''`;
}

/** Lists items that were set aside, belong to no order and were read by nobody: `limit` of them, by id. */
export const listReleasable = (db: Database, { after, limit }: { after: string; limit: number }) =>
  rowsOf<{ id: string; product: string; added_at: Date }>(db)`
    SELECT items.id, products.name AS product, items.added_at FROM items JOIN products ON products.id = product_id
    WHERE items.id > ${after} AND ${isReleasable} ORDER BY items.id LIMIT ${limit}`;

export const countReleasable = (db: Database, without: readonly string[]) =>
  fieldOf<number>(db)`
    SELECT count(*)::integer FROM items WHERE ${isReleasable} AND items.id <> ALL (${without}::uuid[])`;

const isReleasable = sql<boolean>`(items.set_aside_at IS NOT NULL AND items.order_line_id IS NULL
  AND items.state IN ('voided', 'quarantined') AND NOT ${wasRead})`;

/**
 * Releases set-aside items, whose products must be locked: those that the restore took off sale are on sale again, or
 * with Activate if their product is deleted; the others can be restored like any withdrawn item. Returns their number.
 */
export async function releaseSetAside(trx: Transaction, itemIds: readonly string[], now: Date): Promise<number> {
  const isOnSale = sql`void_reason = ${SET_ASIDE} AND NOT ${isOfDeletedProduct}`;
  const { numAffectedRows = 0n } = await sql`
    UPDATE items SET set_aside_at = NULL,
      state = CASE WHEN ${isOnSale} THEN 'available' WHEN void_reason = ${SET_ASIDE} THEN 'quarantined' ELSE state END,
      restored_at = CASE WHEN ${isOnSale} THEN ${now} ELSE restored_at END,
      void_reason = nullif(void_reason, ${SET_ASIDE})
    WHERE id = ANY (${itemIds}::uuid[]) AND ${isReleasable}`.execute(trx);
  return Number(numAffectedRows);
}

export const countByProduct = (db: Database, itemIds: readonly string[]) =>
  rowsOf<{ product: string; units: number }>(db)`
    SELECT products.name AS product, count(*)::integer AS units FROM items JOIN products ON products.id = product_id
    WHERE items.id = ANY (${itemIds}::uuid[]) GROUP BY products.id ORDER BY products.name, products.id`;

const CHECKED = 'restored-backup-compared';

/**
 * Holds back open orders, and delivered orders of which the buyer has not received everything: they may have been
 * refunded since the backup, and their goods sold to another buyer. Returns the number of orders.
 */
export async function holdOrdersBack(trx: Transaction, now: Date): Promise<number> {
  await sql`DELETE FROM shop_facts WHERE name = ${CHECKED}`.execute(trx);
  const held = await rowsOf(trx)`
    INSERT INTO order_freezes (id, order_id, cause, frozen_at)
    SELECT ${freezeId}, id, 'restore', ${now}::timestamptz FROM orders
    WHERE state IN ('pending', 'capturing') OR state = 'fulfilled' AND (
      waiting_units > 0 OR (type = 'physical' AND shipped_at IS NULL)
      OR EXISTS (SELECT FROM order_lines JOIN items ON order_line_id = order_lines.id
        WHERE order_id = orders.id AND items.state = 'sold' AND first_viewed_at IS NULL))
    ON CONFLICT (id) DO UPDATE SET frozen_at = excluded.frozen_at, ended_at = NULL, outcome = NULL
    RETURNING id`;
  return held.length;
}

const freezeId = sql`'restore/' || orders.id`;

/** Holds back one more order, after a buyer who is reading it. No effect if it is held back, or was released. */
export const holdOrderBack = (db: Database, orderId: string, now: Date) =>
  sql`
    INSERT INTO order_freezes (id, order_id, cause, frozen_at)
    SELECT ${freezeId}, id, 'restore', ${now}::timestamptz FROM orders WHERE id = ${orderId} FOR NO KEY UPDATE
    ON CONFLICT (id) DO NOTHING`.execute(db);

export const listHeldBack = (db: Database) => columnOf<string>(db)`
    SELECT order_id FROM order_freezes WHERE ${isHeldBack} ORDER BY order_id`;

/** Releases orders. Without `at`, deletes their freezes, because nothing was found; else ends them at `at`. */
export const endHoldingBack = (db: Database, orderIds: readonly string[], at: Date | null) =>
  (at === null
    ? sql`DELETE FROM order_freezes WHERE ${isHeldBack} AND order_id = ANY (${orderIds}::uuid[])`
    : sql`
      UPDATE order_freezes SET ended_at = ${at}, outcome = 'lifted'
      WHERE ${isHeldBack} AND order_id = ANY (${orderIds}::uuid[])`
  ).execute(db);

const isHeldBack = sql<boolean>`(cause = 'restore' AND ended_at IS NULL)`;

/** Returns when the restored backup was taken; undefined once compared with the provider and nothing is held back. */
export async function findBackupToCompare(db: Database): Promise<Date | undefined> {
  const takenAt = await findRestoredBackup(db);
  if (!takenAt) return undefined;
  const isDone = await fieldOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM shop_facts WHERE name = ${CHECKED})
      AND NOT EXISTS (SELECT FROM order_freezes WHERE ${isHeldBack})`;
  return isDone ? undefined : takenAt;
}

/** Whether the orders of the restored backup were compared with the provider at least once. */
export const isCompared = (db: Database) => hasRow(db)`SELECT FROM shop_facts WHERE name = ${CHECKED}`;

export const markCompared = (db: Database, now: Date) =>
  sql`
    INSERT INTO shop_facts (name, value) VALUES (${CHECKED}, ${now.toISOString()})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`.execute(db);

const ofAnOrderUnseen = (itemIds: readonly string[]) => sql<boolean>`(
  items.id = ANY (${itemIds}::uuid[]) AND items.state IN ('held', 'allocated', 'sold') AND first_viewed_at IS NULL)`;

export const listOrdersOfItems = (db: Database, itemIds: readonly string[]) =>
  rowsOf<{ orderId: string; state: OrderState; itemId: string }>(db)`
    SELECT order_id AS "orderId", orders.state, items.id AS "itemId"
    FROM items JOIN order_lines ON order_lines.id = order_line_id JOIN orders ON orders.id = order_id
    WHERE ${ofAnOrderUnseen(itemIds)} ORDER BY items.id`;

/** Marks those of these items that an order has and no buyer has seen: they may belong to another buyer by now. */
export const markResold = (db: Database, itemIds: readonly string[], now: Date) =>
  sql`
    UPDATE items SET resold_at = ${now} WHERE ${ofAnOrderUnseen(itemIds)} AND resold_at IS NULL`.execute(db);

export const listResold = (db: Database) => rowsOf<{ orderId: string; itemId: string }>(db)`
  SELECT order_id AS "orderId", items.id AS "itemId" FROM items JOIN order_lines ON order_lines.id = order_line_id
  WHERE resold_at IS NOT NULL AND state IN ('held', 'allocated', 'sold') ORDER BY items.id`;
