import { sql } from 'kysely';
import type { OrderState } from '../../../shared/orders.ts';
import { type Database, hasRow, rowOf, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import { findRestoredBackup } from './recovery.queries.ts';

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

/**
 * Holds back one more order, under its lock: a buyer who is just reading it comes first. No effect if it is held back, or
 * an administrator has released it.
 */
export const holdOrderBack = (db: Database, orderId: string, now: Date) =>
  sql`
    INSERT INTO order_freezes (id, order_id, cause, frozen_at)
    SELECT ${freezeId}, id, 'restore', ${now}::timestamptz FROM orders WHERE id = ${orderId} FOR NO KEY UPDATE
    ON CONFLICT (id) DO NOTHING`.execute(db);

export async function listHeldBack(db: Database): Promise<string[]> {
  const rows = await rowsOf<{ orderId: string }>(db)`
    SELECT order_id AS "orderId" FROM order_freezes WHERE ${isHeldBack} ORDER BY order_id`;
  return rows.map(({ orderId }) => orderId);
}

/**
 * Releases orders. If `at` is null, deletes their freezes, because nothing was found; otherwise ends the freezes at
 * `at`.
 */
export const endHoldingBack = (db: Database, orderIds: readonly string[], at: Date | null) =>
  (at === null
    ? sql`DELETE FROM order_freezes WHERE ${isHeldBack} AND order_id = ANY (${orderIds}::uuid[])`
    : sql`
      UPDATE order_freezes SET ended_at = ${at}, outcome = 'lifted'
      WHERE ${isHeldBack} AND order_id = ANY (${orderIds}::uuid[])`
  ).execute(db);

const isHeldBack = sql<boolean>`(cause = 'restore' AND ended_at IS NULL)`;

/**
 * Returns when the restored backup was taken; undefined once it was compared with the provider and no order is held
 * back.
 */
export async function findBackupToCompare(db: Database): Promise<Date | undefined> {
  const takenAt = await findRestoredBackup(db);
  if (!takenAt) return undefined;
  const { isDone } = await rowOf<{ isDone: boolean }>(db)`
    SELECT EXISTS (SELECT FROM shop_facts WHERE name = ${CHECKED})
      AND NOT EXISTS (SELECT FROM order_freezes WHERE ${isHeldBack}) AS "isDone"`;
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

/** Lists the orders that have any of these items unseen. */
export const listOrdersOfItems = (db: Database, itemIds: readonly string[]) =>
  rowsOf<{ orderId: string; state: OrderState; itemId: string }>(db)`
    SELECT order_id AS "orderId", orders.state, items.id AS "itemId"
    FROM items JOIN order_lines ON order_lines.id = order_line_id JOIN orders ON orders.id = order_id
    WHERE ${ofAnOrderUnseen(itemIds)} ORDER BY items.id`;

/** Marks those of these items that an order has and no buyer has seen: they may belong to another buyer by now. */
export const markResold = (db: Database, itemIds: readonly string[], now: Date) =>
  sql`
    UPDATE items SET resold_at = ${now} WHERE ${ofAnOrderUnseen(itemIds)} AND resold_at IS NULL`.execute(db);

/** Lists the items of orders that may belong to another buyer. */
export const listResold = (db: Database) => rowsOf<{ orderId: string; itemId: string }>(db)`
  SELECT order_id AS "orderId", items.id AS "itemId" FROM items JOIN order_lines ON order_lines.id = order_line_id
  WHERE resold_at IS NOT NULL AND state IN ('held', 'allocated', 'sold') ORDER BY items.id`;
