import { sql } from 'kysely';
import { rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { ItemRow } from '../../platform/database/tables.ts';

/** The buyer of the item has reported that it does not work. */
export const wasReported = sql<boolean>`EXISTS (SELECT FROM problem_reports WHERE problem_reports.item_id = items.id)`;

/** A buyer or an administrator has read the item. A report counts as reading. */
export const wasRead = sql<boolean>`
  (items.first_viewed_at IS NOT NULL OR EXISTS (SELECT FROM reveals WHERE reveals.item_id = items.id) OR ${wasReported})`;

/** The order of the item has a refund that is not done. */
const isOwed = sql<boolean>`EXISTS (
  SELECT FROM order_lines JOIN refunds USING (order_id) WHERE order_lines.id = items.order_line_id AND refunds.state <> 'done')`;

/**
 * Nobody has read the item, no restore has set it aside (it may have been sold since the backup), and no refund is owed
 * to its buyer.
 */
const isSellable = sql<boolean>`(NOT ${wasRead} AND items.set_aside_at IS NULL AND NOT ${isOwed})`;

/** Withdrawn, and never read. A burnt item was read, or is faulty. */
export const isRestorable = sql<boolean>`(items.state IN ('quarantined', 'voided') AND ${isSellable})`;

// A reader inserts into `reveals`, whose foreign key locks the item, so readers and this lock exclude each other.
// Relies on READ COMMITTED: the next statement sees reveals that were committed during the wait for the lock.
const lockItems = (condition: ReturnType<typeof sql>) =>
  sql`SELECT FROM items WHERE ${condition} ORDER BY content_hmac FOR UPDATE`;

/** Locks an item, also against being read, and returns its current row. */
export async function lockItem(trx: Transaction, itemId: string) {
  await lockItems(sql`id = ${itemId}`).execute(trx);
  const items = trx
    .selectFrom('items')
    .selectAll()
    .select([wasRead.as('was_read'), wasReported.as('was_reported'), isOwed.as('is_owed')]);
  return items.where('id', '=', itemId).executeTakeFirstOrThrow();
}

/** Locks and returns the items of these fingerprints that can be put on sale again. */
export async function lockRestorable(trx: Transaction, fingerprints: Buffer[]): Promise<ItemRow[]> {
  const known = sql`content_hmac = ANY(${fingerprints}::bytea[])`;
  await lockItems(sql`${known} AND state IN ('quarantined', 'voided')`).execute(trx);
  return rowsOf<ItemRow>(trx)`SELECT * FROM items WHERE ${known} AND ${isRestorable}`;
}

/** An item's secret, encrypted for the product that will sell it. */
export type EncryptedItem = Pick<ItemRow, 'id' | 'key_id' | 'nonce' | 'ciphertext'>;

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

/** Undoes the voiding of a locked item: `available` again, or `quarantined` if it came back from a buyer. */
export async function undoVoidOf(trx: Transaction, itemId: string, now: Date): Promise<void> {
  await sql`
    UPDATE items SET void_reason = NULL, state = CASE WHEN order_line_id IS NULL THEN 'available' ELSE 'quarantined' END,
      restored_at = CASE WHEN order_line_id IS NULL THEN ${now} ELSE restored_at END
    WHERE id = ${itemId}`.execute(trx);
}

/** Puts the unread items that the deletion of a product withdrew on sale again; returns their number. */
export async function restoreUnsoldItems(trx: Transaction, productId: string, now: Date) {
  const withdrawn = sql`product_id = ${productId} AND state = 'quarantined' AND order_line_id IS NULL`;
  await lockItems(withdrawn).execute(trx);
  const { numAffectedRows } = await sql`
    UPDATE items SET state = 'available', restored_at = ${now} WHERE ${withdrawn} AND ${isSellable}`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

/**
 * Puts the unread items of a refunded order on sale again: items from stock, of products that are not deleted. The
 * order must be locked, and its refunds must be done.
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
