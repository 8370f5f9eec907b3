import { type Insertable, sql, type Updateable } from 'kysely';
import type { Counted } from '../../../shared/paging.ts';
import {
  afterCursor,
  countUpTo,
  type PageStart,
  placeOf,
  rowsToRead,
} from '../../platform/database/newest-first.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';
import { containing } from '../../platform/database/text-search.ts';
import { productColumns } from './catalog.queries.ts';

/** A product with its items: `total` is all that was sold or still can be. */
export type ProductWithItems = ProductRow & { total: number; available: number; held: number; sold: number };

export interface ProductSearch {
  status: 'active' | 'inactive' | undefined;
  nameContains: string | undefined;
}

const matching = ({ status, nameContains }: ProductSearch) => sql<boolean>`
  ${status === undefined ? sql`true` : sql`is_active = ${status === 'active'}`}
  AND ${nameContains ? sql`name ILIKE ${containing(nameContains)}` : sql`true`}`;

// Its items are counted once it is known which products are shown.
const withItems = (db: Database, products: ReturnType<typeof chosenProducts>) =>
  db
    .selectFrom(products.as('products'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('items')
          .whereRef('items.product_id', '=', 'products.id')
          .where('items.state', 'in', ['available', 'held', 'allocated', 'sold'])
          .select([
            sql<number>`count(*)::integer`.as('total'),
            sql<number>`(count(*) FILTER (WHERE items.state = 'available'))::integer`.as('available'),
            sql<number>`(count(*) FILTER (WHERE items.state = 'held'))::integer`.as('held'),
            sql<number>`(count(*) FILTER (WHERE items.state = 'sold'))::integer`.as('sold'),
          ])
          .as('counted'),
      (join) => join.onTrue(),
    )
    .select(productColumns.map((column) => `products.${column}` as const))
    .select(['products.place', 'counted.total', 'counted.available', 'counted.held', 'counted.sold'])
    .orderBy('products.created_at', 'desc')
    .orderBy('products.id', 'desc');

const chosenProducts = (db: Database) =>
  db.selectFrom('products').select(productColumns).select(placeOf('products'));

export function listProductsToManage(
  db: Database,
  { cursor, limit, ...search }: ProductSearch & PageStart,
): Promise<(ProductWithItems & { place: string[] })[]> {
  const page = chosenProducts(db)
    .where(matching(search))
    .where(afterCursor('products', cursor))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsToRead({ limit }));
  return withItems(db, page).execute();
}

export function findProductToManage(db: Database, id: string): Promise<ProductWithItems | undefined> {
  return withItems(db, chosenProducts(db).where('id', '=', id)).executeTakeFirst();
}

export const countProducts = (db: Database, search: ProductSearch): Promise<Counted> =>
  countUpTo(db, sql`SELECT 1 FROM products WHERE ${matching(search)}`);

/** Of the whole shop. */
export function countByActivity(db: Database): Promise<{ active: number; inactive: number }> {
  return db
    .selectFrom('products')
    .select([
      sql<number>`(count(*) FILTER (WHERE is_active))::integer`.as('active'),
      sql<number>`(count(*) FILTER (WHERE NOT is_active))::integer`.as('inactive'),
    ])
    .executeTakeFirstOrThrow();
}

/** False when there is a product of this id already, which then stays as it is. */
export async function insertProduct(
  trx: Transaction,
  product: Insertable<Tables['products']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('products')
    .values(product)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Writes what changes and counts the edit; the row must be locked. */
export async function saveProduct(
  trx: Transaction,
  id: string,
  changes: Updateable<Tables['products']>,
): Promise<void> {
  await trx
    .updateTable('products')
    .set((eb) => ({ ...changes, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** Whether another product on sale has the name, in whatever case. */
export async function hasSameName(
  db: Database,
  { table, id, name }: { table: 'products' | 'physical_products'; id: string; name: string },
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM ${sql.table(table)} WHERE lower(name) = lower(${name}) AND is_active AND id <> ${id} LIMIT 1`.execute(
    db,
  );
  return rows.length > 0;
}
