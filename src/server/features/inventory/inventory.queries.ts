import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { ReportOutcome } from '../../../shared/problem-reports.ts';
import {
  type Database,
  fieldOf,
  firstRowOf,
  insertUnlessKnown,
  rowOf,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { ItemRow, Tables } from '../../platform/database/tables.ts';

const itemsOfOrder = (orderId: string) =>
  sql<boolean>`order_line_id IN (SELECT id FROM order_lines WHERE order_id = ${orderId})`;

export const insertItems = (trx: Transaction, items: Insertable<Tables['items']>[]) =>
  trx.insertInto('items').values(items).execute();

export const insertItem = (trx: Transaction, item: Insertable<Tables['items']>): Promise<boolean> =>
  insertUnlessKnown(trx, 'items', item);

export const countStockOnSale = (db: Database, productId: string) => rowOf<{ available: number; held: number }>(db)`
  SELECT ((SELECT count(*) FROM items WHERE product_id = ${productId} AND state = 'available')
      + (SELECT coalesce(max(stock), 0) FROM products WHERE id = ${productId}))::integer AS available,
    ((SELECT count(*) FROM items WHERE product_id = ${productId} AND state = 'held')
      + (SELECT coalesce(sum(counted_units), 0) FROM order_lines
        WHERE product_id = ${productId} AND counted_state = 'held'))::integer AS held`;

/** The void reason of an item that was unsold in a restored backup. */
export const SET_ASIDE = 'On sale in a restored backup';

/** Unsold items of a deleted product are `quarantined`, until it is activated. */
export const isOfDeletedProduct = sql<boolean>`EXISTS (
  SELECT FROM products WHERE products.id = items.product_id AND deleted_at IS NOT NULL)`;

/**
 * Releases the held and allocated items of an order: they become `available`, `quarantined` if the product is deleted,
 * or `voided` if a restore has set them aside. The products must be locked (returnTakenUnits).
 */
export const releaseItems = (trx: Transaction, orderId: string) =>
  sql`
    UPDATE items SET order_line_id = NULL, unit = NULL, state = CASE
        WHEN set_aside_at IS NOT NULL THEN 'voided'
        WHEN ${isOfDeletedProduct} THEN 'quarantined'
        ELSE 'available' END,
      void_reason = CASE WHEN set_aside_at IS NOT NULL THEN ${SET_ASIDE} END
    WHERE ${itemsOfOrder(orderId)} AND state IN ('held', 'allocated')`.execute(trx);

/** The state of an item that is withdrawn from its buyer. */
const withdrawnState = sql<'burnt'>`CASE WHEN first_viewed_at IS NULL THEN 'quarantined' ELSE 'burnt' END`;

interface ReportEnd {
  outcome: ReportOutcome;
  now: Date;
}

/** Withdraws the sold items of an order: `quarantined` if never seen, else `burnt`. Closes their reports. */
export async function withdrawSoldItems(trx: Transaction, orderId: string, end: ReportEnd): Promise<void> {
  await sql`UPDATE items SET state = ${withdrawnState} WHERE ${itemsOfOrder(orderId)} AND state = 'sold'`.execute(trx);
  await endReports(trx, itemsOfOrder(orderId), end);
}

/**
 * Withdraws items of a line: first items that may belong to another buyer, then `itemId`, then unseen items. The caller
 * has already reduced the units of a counted line, so only the items in excess of them are withdrawn, but always
 * `itemId`.
 */
export async function withdrawUnits(
  trx: Transaction,
  { lineId, quantity, itemId = null }: { lineId: string; quantity: number; itemId?: string | null | undefined },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE items SET state = ${withdrawnState}
    WHERE id IN (SELECT id FROM items WHERE order_line_id = ${lineId} AND state = 'sold'
      ORDER BY resold_at IS NULL, id IS DISTINCT FROM ${itemId}::uuid, first_viewed_at IS NOT NULL, unit DESC LIMIT (
        SELECT CASE WHEN counted_state IS NULL THEN ${quantity}::integer ELSE greatest(${itemId === null ? 0 : 1}::integer, (
          SELECT count(*) FROM items WHERE order_line_id = ${lineId} AND state = 'sold') - counted_units) END
        FROM order_lines WHERE id = ${lineId}))`.execute(trx);
  await endReports(trx, sql`order_line_id = ${lineId}`, { outcome: 'refunded', now });
}

/** Counts the items of an order that may belong to another buyer since the restore of a backup. */
export const countResold = (db: Database, orderId: string) => fieldOf<number>(db)`
    SELECT count(*)::integer FROM items
    WHERE resold_at IS NOT NULL AND state IN ('held', 'allocated', 'sold') AND ${itemsOfOrder(orderId)}`;

export const endReportsOfReplaced = (trx: Transaction, itemId: string, now: Date) =>
  endReports(trx, sql`id = ${itemId}`, { outcome: 'replaced', now });

/** When a report is closed: the clock of the process that opened it may be ahead. */
export const reportEnd = (now: Date) => sql<Date>`greatest(opened_at, ${now}::timestamptz)`;

/** Closes the open reports about items that are no longer sold. Call it after the items were changed. */
const endReports = (trx: Transaction, items: RawBuilder<unknown>, { outcome, now }: ReportEnd) =>
  sql`
    UPDATE problem_reports SET closed_at = ${reportEnd(now)}, outcome = ${outcome}, waiting_since = NULL
    WHERE closed_at IS NULL AND item_id IN (SELECT id FROM items WHERE ${items} AND state <> 'sold')`.execute(trx);

/**
 * Replaces a sold item, which becomes `burnt`, by an available one. Returns false when there is none; then the caller
 * must roll back, because the faulty item is burnt already.
 */
export async function replaceSoldItem(trx: Transaction, id: string, now: Date): Promise<boolean> {
  const faulty = await firstRowOf<Pick<ItemRow, 'replaced_by' | 'order_line_id' | 'unit'>>(trx)`
    UPDATE items SET state = 'burnt', replaced_by = (
      SELECT other.id FROM items AS other WHERE other.product_id = items.product_id AND other.state = 'available'
      ORDER BY other.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    WHERE id = ${id} AND state = 'sold'
    RETURNING replaced_by, order_line_id, unit`;
  if (!faulty?.replaced_by) return false;
  await sql`
    UPDATE items
    SET state = 'sold', order_line_id = ${faulty.order_line_id}, unit = ${faulty.unit}, delivered_at = ${now}
    WHERE id = ${faulty.replaced_by}`.execute(trx);
  return true;
}

/** `is_replacement`: delivered in place of a faulty item. */
export const listSoldItems = (db: Database, orderId: string) => rowsOf<ItemRow & { is_replacement: boolean }>(db)`
  SELECT items.*, EXISTS (SELECT FROM items AS faulty
    WHERE faulty.order_line_id = items.order_line_id AND faulty.replaced_by = items.id) AS is_replacement
  FROM items WHERE ${itemsOfOrder(orderId)} AND state = 'sold' ORDER BY order_line_id, unit`;

/** The ledger `reveals` has one row for each time a secret is shown. */
export const insertReveals = (trx: Transaction, reveals: Insertable<Tables['reveals']>[]) =>
  trx.insertInto('reveals').values(reveals).execute();

/** Records the reveals to the buyer, and marks the items as seen. */
export async function recordReveals(trx: Transaction, reveals: Insertable<Tables['reveals']>[]): Promise<void> {
  if (reveals.length === 0) return;
  await insertReveals(trx, reveals);
  await sql`
    UPDATE items SET first_viewed_at = ${reveals[0]?.at}
    WHERE id = ANY (${reveals.map((reveal) => reveal.item_id)}::uuid[]) AND first_viewed_at IS NULL`.execute(trx);
}

/** The buyer of the item has reported that it does not work. */
export const wasReported = sql<boolean>`EXISTS (SELECT FROM problem_reports WHERE problem_reports.item_id = items.id)`;

/** A buyer or an administrator has read the item. A report counts as reading. */
export const wasRead = sql<boolean>`
  (items.first_viewed_at IS NOT NULL OR EXISTS (SELECT FROM reveals WHERE reveals.item_id = items.id) OR ${wasReported})`;

/** The order of the item has a refund that is not done. */
const isOwed = sql<boolean>`EXISTS (
  SELECT FROM order_lines JOIN refunds USING (order_id) WHERE order_lines.id = items.order_line_id AND refunds.state <> 'done')`;

/** Not read by anybody, not set aside by a restore (it may have been sold since the backup), no refund owed. */
export const isSellable = sql<boolean>`(NOT ${wasRead} AND items.set_aside_at IS NULL AND NOT ${isOwed})`;

/** Withdrawn, and never read. A burnt item was read, or is faulty. */
export const isRestorable = sql<boolean>`(items.state IN ('quarantined', 'voided') AND ${isSellable})`;

// A reader inserts into `reveals`, whose foreign key locks the item, so readers and this lock exclude each other.
// Relies on READ COMMITTED: the next statement sees reveals that were committed during the wait for the lock.
export const lockItems = (condition: RawBuilder<unknown>) =>
  sql`SELECT FROM items WHERE ${condition} ORDER BY content_hmac FOR UPDATE`;

/** Locks products by id, against their deletion: these, and those of these items, which are about to be locked. */
export const lockStockedProducts = (
  trx: Transaction,
  { productIds = [], itemIds = [] }: { productIds?: readonly string[]; itemIds?: readonly string[] },
) =>
  sql`
    SELECT FROM products WHERE id IN (
      SELECT unnest(${productIds}::uuid[]) UNION SELECT product_id FROM items WHERE id = ANY (${itemIds}::uuid[]))
    ORDER BY id FOR NO KEY UPDATE`.execute(trx);

/** Locks an item, also against being read, and returns its current row. */
export async function lockItem(trx: Transaction, itemId: string) {
  await lockItems(sql`id = ${itemId}`).execute(trx);
  return rowOf<ItemRow & Record<'was_read' | 'was_reported' | 'is_owed', boolean>>(trx)`
    SELECT *, ${wasRead} AS was_read, ${wasReported} AS was_reported, ${isOwed} AS is_owed FROM items WHERE id = ${itemId}`;
}

/** Locks and returns the items of these fingerprints that can be put on sale again. */
export async function lockRestorable(trx: Transaction, fingerprints: Buffer[]): Promise<ItemRow[]> {
  const known = sql`content_hmac = ANY(${fingerprints}::bytea[])`;
  await lockItems(sql`${known} AND state IN ('quarantined', 'voided')`).execute(trx);
  return rowsOf<ItemRow>(trx)`SELECT * FROM items WHERE ${known} AND ${isRestorable}`;
}

/** An item's secret, encrypted for the product that will sell it. */
type EncryptedItem = Pick<ItemRow, 'id' | 'key_id' | 'nonce' | 'ciphertext'>;

/** Puts locked items on sale again, as items of this product. */
export async function putOnSale(
  trx: Transaction,
  { productId, items, now }: { productId: string; items: EncryptedItem[]; now: Date },
): Promise<void> {
  await sql`
    UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL, delivered_at = NULL, void_reason = NULL,
      restored_at = ${now}, product_id = ${productId},
      uploaded_for = nullif(coalesce(uploaded_for, product_id), ${productId}),
      key_id = sealed.key_id, nonce = sealed.nonce, ciphertext = sealed.ciphertext
    FROM unnest(${items.map(({ id }) => id)}::uuid[], ${items.map((item) => item.key_id)}::text[],
      ${items.map(({ nonce }) => nonce)}::bytea[], ${items.map(({ ciphertext }) => ciphertext)}::bytea[])
      AS sealed (id, key_id, nonce, ciphertext)
    WHERE items.id = sealed.id`.execute(trx);
}

/** Voids a locked item. */
export const markVoided = (trx: Transaction, itemId: string, reason: string) =>
  sql`UPDATE items SET state = 'voided', void_reason = ${reason} WHERE id = ${itemId}`.execute(trx);

/** Voids those of these items that are on sale, and were not put on sale since a payment. Their products must be locked. */
export async function voidOnSale(trx: Transaction, itemIds: readonly string[], paidAt: Date, reason: string) {
  const onSale = sql`id = ANY (${itemIds}::uuid[]) AND state = 'available' AND coalesce(restored_at < ${paidAt}, true)`;
  await lockItems(onSale).execute(trx);
  await sql`UPDATE items SET state = 'voided', void_reason = ${reason} WHERE ${onSale}`.execute(trx);
}

/** Undoes the voiding of a locked item of a locked product: `quarantined` if returned or deleted, else `available`. */
export async function undoVoidOf(trx: Transaction, itemId: string, now: Date): Promise<void> {
  const isOnSale = sql`order_line_id IS NULL AND NOT ${isOfDeletedProduct}`;
  await sql`
    UPDATE items SET void_reason = NULL, state = CASE WHEN ${isOnSale} THEN 'available' ELSE 'quarantined' END,
      restored_at = CASE WHEN ${isOnSale} THEN ${now} ELSE restored_at END
    WHERE id = ${itemId}`.execute(trx);
}

/**
 * Puts the unread items of an order that its buyer cancelled on sale again: items from stock, of products that are not
 * deleted. The order and its products must be locked, and its refunds must be done.
 */
export async function restoreReturnedItems(trx: Transaction, orderId: string, now: Date): Promise<void> {
  const returned = sql`state = 'quarantined' AND order_line_id IN (
    SELECT order_lines.id FROM order_lines JOIN products ON products.id = product_id
    WHERE order_id = ${orderId} AND order_lines.delivery = 'unique' AND deleted_at IS NULL)`;
  await lockItems(returned).execute(trx);
  await sql`
    UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL, delivered_at = NULL, restored_at = ${now}
    WHERE ${returned} AND ${isSellable}`.execute(trx);
}
