import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/open-database.ts';

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
