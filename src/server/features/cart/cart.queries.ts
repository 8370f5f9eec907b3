import type { Database, Transaction } from '../../platform/database/open-database.ts';
import { onSale, type ProductOnSale, stockColumns } from '../catalog/catalog.queries.ts';

type CartRow = ProductOnSale & { quantity: number };

/** What is on sale of a cart's products, in the order in which they were put in. */
export function listCart(db: Database, userId: string): Promise<CartRow[]> {
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

export async function putCartEntry(
  trx: Transaction,
  entry: { userId: string; productId: string; quantity: number; now: Date },
): Promise<void> {
  const { quantity } = entry;
  await trx
    .insertInto('cart_entries')
    .values({ user_id: entry.userId, product_id: entry.productId, quantity, added_at: entry.now })
    .onConflict((conflict) => conflict.columns(['user_id', 'product_id']).doUpdateSet({ quantity }))
    .execute();
}

export async function deleteCartEntry(
  db: Database,
  { userId, productId }: { userId: string; productId: string },
): Promise<void> {
  await db.deleteFrom('cart_entries').where('user_id', '=', userId).where('product_id', '=', productId).execute();
}

export async function deleteCart(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('cart_entries').where('user_id', '=', userId).execute();
}
