import type { Insertable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { type ProductOnSale, stockColumns } from '../catalog/catalog.queries.ts';

/** The products of a cart that are on sale, in the order in which they were added. */
export const listCart = (db: Database, userId: string): Promise<(ProductOnSale & { quantity: number })[]> =>
  db
    .selectFrom('products')
    .innerJoin('cart_entries', 'product_id', 'products.id')
    .selectAll('products')
    .select('quantity')
    .select(stockColumns)
    .where('user_id', '=', userId)
    .where('is_active', '=', true)
    .orderBy('added_at')
    .orderBy('products.id')
    .execute();

export const putCartEntry = (trx: Transaction, entry: Insertable<Tables['cart_entries']>) =>
  trx
    .insertInto('cart_entries')
    .values(entry)
    .onConflict((conflict) => conflict.columns(['user_id', 'product_id']).doUpdateSet({ quantity: entry.quantity }))
    .execute();

export const deleteCartEntry = (db: Database, userId: string, productId: string) =>
  db.deleteFrom('cart_entries').where('user_id', '=', userId).where('product_id', '=', productId).execute();

export const deleteCart = (db: Database, userId: string) =>
  db.deleteFrom('cart_entries').where('user_id', '=', userId).execute();
