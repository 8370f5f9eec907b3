import type { Insertable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { onSale, type ProductOnSale, stockColumns } from '../catalog/catalog.queries.ts';

/** The products of a cart that are on sale, in the order in which they were added. */
export function listCart(db: Database, userId: string): Promise<(ProductOnSale & { quantity: number })[]> {
  return db
    .selectFrom('products')
    .innerJoin('cart_entries', 'product_id', 'products.id')
    .selectAll('products')
    .select('quantity')
    .select(stockColumns)
    .where('user_id', '=', userId)
    .where(onSale)
    .orderBy('added_at')
    .orderBy('products.id')
    .execute();
}

export async function putCartEntry(trx: Transaction, entry: Insertable<Tables['cart_entries']>): Promise<void> {
  await trx
    .insertInto('cart_entries')
    .values(entry)
    .onConflict((conflict) => conflict.columns(['user_id', 'product_id']).doUpdateSet({ quantity: entry.quantity }))
    .execute();
}

/** Of one product, or of the whole cart. */
export async function deleteCartEntries(db: Database, user_id: string, product_id?: string): Promise<void> {
  const entries = db.deleteFrom('cart_entries');
  await entries.where((eb) => eb.and({ user_id, ...(product_id && { product_id }) })).execute();
}
