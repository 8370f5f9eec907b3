import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/open-database.ts';

/**
 * Counts units of a flash sale as taken. It does not check that so many are left: the caller must hold the lock of
 * quoteCart, which found them. The CHECK of the table (0001_shop.sql) only catches a mistake.
 */
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
 * Returns the units that a cancelled order took from flash sales, except those that detachFlashUnits has detached. The
 * products must be locked, in the sequence of their ids.
 */
export async function returnFlashUnits(trx: Transaction, orderId: string): Promise<void> {
  await sql`
    UPDATE products SET flash_units_taken = greatest(0, flash_units_taken - units)
    FROM (
      SELECT product_id, sum(quantity)::integer AS units FROM order_lines
      WHERE order_id = ${orderId} AND takes_flash_units GROUP BY product_id
    ) AS taken
    WHERE products.id = taken.product_id`.execute(trx);
}
