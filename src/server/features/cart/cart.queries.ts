import { type Insertable, sql } from 'kysely';
import { type Database, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { columnsOnSale, type ProductOnSale } from '../catalog/catalog.queries.ts';

export const listCart = (db: Database, userId: string) => rowsOf<ProductOnSale & { quantity: number }>(db)`
  SELECT ${columnsOnSale}, quantity FROM products JOIN cart_entries ON product_id = products.id
  WHERE user_id = ${userId} AND is_active ORDER BY added_at, products.id`;

export const putCartEntry = (trx: Transaction, entry: Insertable<Tables['cart_entries']>) =>
  sql`
    ${trx.insertInto('cart_entries').values(entry)}
    ON CONFLICT (user_id, product_id) DO UPDATE SET quantity = excluded.quantity`.execute(trx);

export const deleteCartEntry = (db: Database, userId: string, productId: string) =>
  db.deleteFrom('cart_entries').where('user_id', '=', userId).where('product_id', '=', productId).execute();

export const deleteCart = (db: Database, userId: string) =>
  db.deleteFrom('cart_entries').where('user_id', '=', userId).execute();
