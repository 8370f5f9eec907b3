import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';

/** Counts units of a flash sale as taken. `quoteCart` has locked the product and found that so many are left. */
export async function takeFlashUnits(trx: Transaction, productId: string, quantity: number): Promise<void> {
  await sql`UPDATE products SET flash_units_taken = flash_units_taken + ${quantity} WHERE id = ${productId}`.execute(
    trx,
  );
}

/** Returns the flash-sale units of a cancelled order. */
export async function returnFlashUnits(trx: Transaction, orderId: string): Promise<void> {
  const lines = sql`order_lines WHERE order_id = ${orderId} AND takes_flash_units`;
  // Locked in the order of their ids, so that two orders of the same products do not deadlock, and before the lines are
  // read, which the start of another sale may be changing.
  await sql`
    SELECT FROM products WHERE id IN (SELECT product_id FROM ${lines}) ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  await sql`
    UPDATE products SET flash_units_taken = greatest(0, flash_units_taken - taken.units)
    FROM (SELECT product_id, sum(quantity)::integer AS units FROM ${lines} GROUP BY product_id) AS taken
    WHERE products.id = taken.product_id`.execute(trx);
}

/** Detaches existing order lines from the flash-sale counter: a new sale starts. The product must be locked. */
export async function detachFlashUnits(trx: Transaction, productId: string): Promise<void> {
  await sql`
    UPDATE order_lines SET takes_flash_units = false WHERE product_id = ${productId} AND takes_flash_units`.execute(
    trx,
  );
}

/**
 * Counts the sold items of each product again, for the sort by popularity. It runs apart from the sales, which would wait
 * for each other at a popular product's row; rows in use are left for the next run.
 */
export async function refreshSoldCounts(db: Database): Promise<void> {
  await sql`
    WITH counted AS (
      SELECT product_id, count(*)::integer AS sold FROM items WHERE state = 'sold' GROUP BY product_id
    ), stale AS MATERIALIZED (
      SELECT products.id, coalesce(sold, 0) AS sold FROM products LEFT JOIN counted ON product_id = products.id
      WHERE sold_count <> coalesce(sold, 0) FOR NO KEY UPDATE OF products SKIP LOCKED)
    UPDATE products SET sold_count = stale.sold FROM stale WHERE products.id = stale.id`.execute(db);
}

/**
 * Returns units of physical products that never left the shop to the shelf, in the order of the products' ids like every
 * lock of products. A return counts as an edit, so that an administrator who typed another stock meanwhile is told.
 */
export async function returnToShelf(trx: Transaction, lines: readonly { product_id: string; units: number }[]) {
  const sorted = lines.toSorted((one, other) => one.product_id.localeCompare(other.product_id));
  for (const { product_id: id, units } of sorted) {
    await sql`UPDATE products SET stock = stock + ${units}, version = version + 1 WHERE id = ${id}`.execute(trx);
  }
}
