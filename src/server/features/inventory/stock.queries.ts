import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { SearchOf } from '../../../shared/api.ts';
import { UNLIMITED_STOCK } from '../../../shared/cart-rules.ts';
import type { Delivery } from '../../../shared/catalog-choices.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { Inventory } from '../../../shared/inventory.ts';
import {
  columnOf,
  type Database,
  firstFieldOf,
  firstRowOf,
  hasRow,
  insertRows,
  rowOf,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import { cutPage, onePage, placeOf, type Sort } from '../../platform/database/list-queries.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { isRestorable, isSellable, lockItems, wasRead, wasReported } from './inventory.queries.ts';

/** Selects the version of a file that is sold. Worded like the index product_files_current. */
export const isCurrentFile = sql<boolean>`published_at IS NOT NULL AND superseded_at IS NULL`;

/** Whether a product that needs content or a file for every buyer has it. Without, the product is not on sale. */
export const hasContent = sql<boolean>`CASE products.delivery
  WHEN 'shared' THEN EXISTS (SELECT FROM shared_contents WHERE product_id = products.id)
  WHEN 'file' THEN EXISTS (SELECT FROM product_files WHERE product_id = products.id AND ${isCurrentFile})
  ELSE true END`;

/** Units of counted goods that can be bought now. */
export const countedStock = sql<number>`CASE WHEN ${hasContent} THEN coalesce(products.stock, ${sql.lit(UNLIMITED_STOCK)}) ELSE 0 END`;

/** Units of a product without items in stock that can be bought now. */
const unitsWithoutItems = sql`CASE products.delivery WHEN 'unique' THEN 0 ELSE ${countedStock} END`;

/** Counts the items of a product that were sold or can still be sold. */
export const countedItems = sql`
  SELECT count(*)::integer AS items, (count(*) FILTER (WHERE state = 'available'))::integer AS available_items,
    (count(*) FILTER (WHERE state = 'held'))::integer AS held, (count(*) FILTER (WHERE state = 'sold'))::integer AS sold
  FROM items WHERE product_id = products.id AND state IN ('available', 'held', 'allocated', 'sold')`;

/** The columns of Inventory['stats'], for a product that is joined with its countedItems. */
export const unitColumns = sql`
  items + ${unitsWithoutItems} AS total, available_items + ${unitsWithoutItems} AS available, sold`;

/** The name of a digital product, also of a deleted one, whose items stay on record. */
export const findProductName = (db: Database, id: string) =>
  firstFieldOf<string>(db)`SELECT name FROM products WHERE id = ${id} AND kind = 'digital'`;

/** The name of a product that sells items from stock; only such a product gets items before they are sold. */
export const findStockedName = (db: Database, id: string) =>
  firstFieldOf<string>(db)`SELECT name FROM products WHERE id = ${id} AND delivery = 'unique'`;

/**
 * A deleted product gets no items: nobody sees them there. Its deletion waits until the transaction ends
 * (lockAgainstUploads), its buyers do not. Throws ITEM_NOT_AVAILABLE.
 */
export async function assertNotDeleted(trx: Transaction, productId: string): Promise<void> {
  if (await hasRow(trx)`SELECT FROM products WHERE id = ${productId} AND deleted_at IS NULL FOR KEY SHARE`) return;
  throw new AppError(
    'ITEM_NOT_AVAILABLE',
    'This product is deleted. Undo its deletion first, so that it can have items.',
  );
}

/** Counts what was sold or can still be sold of a product, without withdrawn items. */
export const countStock = (db: Database, productId: string) => rowOf<Inventory['stats']>(db)`
  SELECT ${unitColumns} FROM products, LATERAL (${countedItems}) AS counted WHERE products.id = ${productId}`;

/** Returns which of these fingerprints the shop has, of any product and state, and which can be restored. */
export const listKnown = (db: Database, fingerprints: Buffer[]) =>
  rowsOf<Pick<ItemRow, 'content_hmac' | 'product_id'> & { restorable: boolean }>(db)`
    SELECT content_hmac, product_id, ${isRestorable} AS restorable
    FROM items WHERE content_hmac = ANY(${fingerprints}::bytea[])`;

/** Inserts new items and returns their number. A concurrent upload may have inserted some of them first. */
export const insertNewItems = (trx: Transaction, items: Partial<ItemRow>[]): Promise<number> =>
  insertRows(trx, 'items', items, { unlessKnown: 'content_hmac' });

export interface StockItem extends ItemRow {
  product_name: string;
  delivery: Delivery | null;
  /** Order of the line that the item fills or filled. */
  order_id: string | null;
  was_read: boolean;
  was_reported: boolean;
}

// Newest first, because ids increase.
const newest: Sort = { columns: [{ value: sql`items.id`, type: 'uuid' }], direction: 'DESC' };

const stockItems = sql`
  SELECT items.*, products.name AS product_name, products.delivery, order_id, ${wasRead} AS was_read,
    ${wasReported} AS was_reported, ${placeOf(newest)}
  FROM items JOIN products ON products.id = items.product_id LEFT JOIN order_lines ON order_lines.id = order_line_id`;

export async function listStockItems(
  db: Database,
  productId: string,
  { state, ...start }: SearchOf<'GET /digital-products/:id/inventory'>,
) {
  const isListed = sql`items.product_id = ${productId} AND ${state ? sql`state = ${state}` : sql`true`}`;
  const found = await rowsOf<StockItem & { place: string[] }>(db)`
    ${stockItems} WHERE ${isListed} ${onePage(newest, start)}`;
  return cutPage(found, start);
}

export const listItemsByFingerprint = (db: Database, fingerprints: readonly Buffer[]) => rowsOf<StockItem>(db)`
  ${stockItems} WHERE content_hmac = ANY (${fingerprints}::bytea[])`;

/** Throws NOT_FOUND. */
export async function getStockItem(db: Database, productId: string, itemId: string): Promise<StockItem> {
  const found = await firstRowOf<StockItem>(db)`
    ${stockItems} WHERE items.id = ${itemId} AND items.product_id = ${productId}`;
  return orNotFound(found, 'Item not found');
}

// A statement that changes 500,000 items takes longer than a statement may.
const ITEMS_AT_ONCE = 5_000;

/** Takes up to 5,000 unsold items of a product off sale, and returns their number; restoreUnsoldItems puts them back. */
export async function withdrawUnsoldItems(trx: Transaction, productId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE items SET state = 'quarantined' WHERE state = 'available' AND id = ANY (ARRAY(
      SELECT id FROM items WHERE product_id = ${productId} AND state = 'available' ORDER BY id LIMIT ${ITEMS_AT_ONCE}))`.execute(
    trx,
  );
  return Number(numAffectedRows);
}

/**
 * Withdraws up to 5,000 more unsold items of a product, if it is deleted: a deletion of more is finished in transactions
 * of their own, so that no buyer waits for it. Returns whether there may be others.
 */
export const withdrawMoreItems = (db: Database, productId: string): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const isDeleted = await hasRow(trx)`
      SELECT FROM products WHERE id = ${productId} AND deleted_at IS NOT NULL FOR NO KEY UPDATE`;
    return isDeleted && (await withdrawUnsoldItems(trx, productId)) > 0;
  });

/**
 * Finishes the deletions of products that were broken off, e.g. because the process was killed. Skips a product whose
 * deletion is under way or is being undone.
 */
export async function finishDeletions(db: Database): Promise<void> {
  const unfinished = await columnOf<string>(db)`
    SELECT id FROM products WHERE deleted_at IS NOT NULL AND EXISTS (
      SELECT FROM items WHERE product_id = products.id AND state = 'available')
    FOR NO KEY UPDATE SKIP LOCKED`;
  for (const id of unfinished) while (await withdrawMoreItems(db, id));
}

/** Puts the unread items that the deletion of a product withdrew on sale again; returns their number. */
export async function restoreUnsoldItems(trx: Transaction, productId: string, now: Date): Promise<number> {
  const withdrawn = sql`product_id = ${productId} AND state = 'quarantined' AND order_line_id IS NULL`;
  let restored = 0;
  for (let last: string = NIL; ; ) {
    const ids = await columnOf<string>(trx)`
      SELECT id FROM items WHERE ${withdrawn} AND id > ${last} ORDER BY id LIMIT ${ITEMS_AT_ONCE}`;
    const these = sql`id = ANY (${ids}::uuid[]) AND ${withdrawn}`;
    await lockItems(these).execute(trx);
    const { numAffectedRows = 0n } = await sql`
      UPDATE items SET state = 'available', restored_at = ${now} WHERE ${these} AND ${isSellable}`.execute(trx);
    restored += Number(numAffectedRows);
    if (ids.length < ITEMS_AT_ONCE) return restored;
    last = ids.at(-1) ?? last;
  }
}
