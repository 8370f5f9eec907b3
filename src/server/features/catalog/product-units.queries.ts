import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';

/** Counts units of a flash sale as taken. `quoteCart` has locked the product and found that so many are left. */
export async function takeFlashUnits(trx: Transaction, productId: string, quantity: number): Promise<void> {
  await sql`UPDATE products SET flash_units_taken = flash_units_taken + ${quantity} WHERE id = ${productId}`.execute(
    trx,
  );
}

/** Detaches existing order lines from the flash-sale counter: a new sale starts. The product must be locked. */
export async function detachFlashUnits(trx: Transaction, productId: string): Promise<void> {
  await sql`
    UPDATE order_lines SET takes_flash_units = false WHERE product_id = ${productId} AND takes_flash_units`.execute(
    trx,
  );
}

/**
 * Counts the sold units of each product again, for the sort by popularity. It runs apart from the sales, which would wait
 * for each other at a popular product's row; rows in use are left for the next run.
 */
export async function refreshSoldCounts(db: Database): Promise<void> {
  await sql`
    WITH counted AS (
      SELECT product_id, sum(units)::integer AS sold FROM (
        SELECT product_id, count(*) AS units FROM items WHERE state = 'sold' GROUP BY product_id
        UNION ALL
        SELECT product_id, sum(counted_units) FROM order_lines WHERE counted_state = 'sold' AND delivery IS NULL
        GROUP BY product_id
      ) AS either GROUP BY product_id
    ), stale AS MATERIALIZED (
      SELECT products.id, coalesce(sold, 0) AS sold FROM products LEFT JOIN counted ON product_id = products.id
      WHERE sold_count <> coalesce(sold, 0) FOR NO KEY UPDATE OF products SKIP LOCKED)
    UPDATE products SET sold_count = stale.sold FROM stale WHERE products.id = stale.id`.execute(db);
}
