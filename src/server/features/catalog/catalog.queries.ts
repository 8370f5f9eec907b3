import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SortOption } from '../../../shared/catalog.ts';
import type { Counted } from '../../../shared/paging.ts';
import type { Cursor, SortType } from '../../platform/database/cursor.ts';
import { countUpTo } from '../../platform/database/newest-first.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';
import { containing } from '../../platform/database/text-search.ts';

/** `stock` can be bought at this moment; `held` is in unpaid orders. */
export type ProductWithStock = ProductRow & { stock: number; held: number };

export interface CatalogFilter {
  category: string | undefined;
  nameContains: string | undefined;
  ids: string[] | undefined;
}

export interface CatalogPage extends CatalogFilter {
  sort: SortOption;
  limit: number;
  after: Cursor | undefined;
  now: Date;
}

/** The units of ProductWithStock. The states are constants: only then do the partial indexes of items serve. */
export const stockColumns = (eb: ExpressionBuilder<Tables, 'products'>) =>
  [unitsIn(eb, 'available').as('stock'), unitsIn(eb, 'held').as('held')] as const;

const unitsIn = (eb: ExpressionBuilder<Tables, 'products'>, state: 'available' | 'held') =>
  eb
    .selectFrom('items')
    .whereRef('items.product_id', '=', 'products.id')
    .where('items.state', '=', sql.lit(state))
    .select((count) => count.cast<number>(count.fn.countAll(), 'integer').as('n'))
    .$asScalar()
    .$notNull();

/** Each sort as the columns it compares, all in one direction, so that a page continues by one row comparison. */
function sortColumns(
  sort: SortOption,
  now: Date,
): { descending: boolean; columns: { expression: RawBuilder<unknown>; type: SortType }[] } {
  const price = sql`effective_price_cents(products, ${now})`;
  const id = { expression: sql`products.id`, type: 'uuid' as const };
  const created = { expression: sql`products.created_at`, type: 'timestamptz' as const };
  const number = (expression: typeof price) => ({ expression, type: 'integer' as const });
  switch (sort) {
    case 'featured':
      return { descending: true, columns: [number(sql`products.featured::integer`), created, id] };
    case 'newest':
      return { descending: true, columns: [created, id] };
    case 'popular':
      return { descending: true, columns: [number(sql`products.sold_count`), id] };
    case 'price_desc':
      return { descending: true, columns: [number(price), id] };
    case 'price_asc':
      return { descending: false, columns: [number(price), id] };
  }
}

/** One row more than asked for when there is a next page; each with the values its cursor is made of. */
export function listActiveProducts(
  db: Database,
  page: CatalogPage,
): Promise<(ProductWithStock & { cursor: Cursor })[]> {
  const { columns, descending } = sortColumns(page.sort, page.now);
  const expressions = sql.join(columns.map((column) => column.expression));
  let query = db
    .selectFrom('products')
    .selectAll('products')
    .select(stockColumns)
    .select(
      sql<Cursor>`ARRAY[${sql.join(columns.map((column) => sql`${column.expression}::text`))}]`.as('cursor'),
    )
    .where(matching(page))
    .limit(page.limit + 1);
  for (const { expression } of columns) query = query.orderBy(expression, descending ? 'desc' : 'asc');
  if (page.after) {
    const values = sql.join(
      page.after.map((value, index) => sql`${value}::${sql.raw(columns[index]?.type ?? 'text')}`),
    );
    query = query.where(sql<SqlBool>`(${expressions}) ${sql.raw(descending ? '<' : '>')} (${values})`);
  }
  return query.execute();
}

const matching =
  ({ category, nameContains, ids }: CatalogFilter) =>
  (eb: ExpressionBuilder<Tables, 'products'>) =>
    eb.and([
      eb('is_active', '=', true),
      ...(category ? [eb('category', '=', category)] : []),
      ...(nameContains ? [eb('name', 'ilike', containing(nameContains))] : []),
      ...(ids ? [eb('id', 'in', ids)] : []),
    ]);

export function countActiveProducts(db: Database, filter: CatalogFilter): Promise<Counted> {
  const found = db.selectFrom('products').select('id').where(matching(filter));
  return countUpTo(db, sql`${found}`);
}

export const sortTypes = (sort: SortOption): SortType[] =>
  sortColumns(sort, new Date(0)).columns.map(({ type }) => type);

export function findActiveProduct(db: Database, id: string): Promise<ProductWithStock | undefined> {
  return db
    .selectFrom('products')
    .selectAll('products')
    .select(stockColumns)
    .where('id', '=', id)
    .where('is_active', '=', true)
    .executeTakeFirst();
}

export function listCategoryStock(db: Database): Promise<{ name: string; totalStock: number }[]> {
  return db
    .selectFrom('products')
    .leftJoin('items', (join) =>
      join.onRef('items.product_id', '=', 'products.id').on('items.state', '=', 'available'),
    )
    .where('products.is_active', '=', true)
    .groupBy('products.category')
    .orderBy('products.category')
    .select((eb) => [
      'products.category as name',
      eb.cast<number>(eb.fn.count('items.id'), 'integer').as('totalStock'),
    ])
    .execute();
}

/** For those who index the shop, newest first. */
export async function listActiveProductIds(db: Database, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('products')
    .select('id')
    .where('is_active', '=', true)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

// Named one by one, because only a statement without a star stays prepared, and every checkout reads its products.
export const productColumns = [
  'id',
  'name',
  'description',
  'category',
  'image',
  'price_cents',
  'discount_type',
  'discount_basis_points',
  'discount_cents',
  'discount_starts_at',
  'discount_ends_at',
  'flash_price_cents',
  'flash_starts_at',
  'flash_ends_at',
  'flash_units_limit',
  'flash_units_taken',
  'sold_count',
  'featured',
  'is_active',
  'delivery_instructions',
  'warranty_days',
  'version',
  'deleted_at',
  'created_at',
] as const satisfies (keyof ProductRow)[];

export function listProductsById(db: Database, ids: string[]): Promise<ProductRow[]> {
  return db.selectFrom('products').select(productColumns).where('id', 'in', ids).execute();
}

/**
 * The same rows, locked in the order of their ids: buyers of a flash sale with limited units take them one after the
 * other, so that no unit is promised twice.
 */
export function lockProductsById(trx: Transaction, ids: string[]): Promise<ProductRow[]> {
  return trx
    .selectFrom('products')
    .select(productColumns)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export async function takeFlashUnits(trx: Transaction, productId: string, quantity: number): Promise<void> {
  await trx
    .updateTable('products')
    .set((eb) => ({ flash_units_taken: eb('flash_units_taken', '+', quantity) }))
    .where('id', '=', productId)
    .execute();
}

/** Gives back what a cancelled order had taken of flash sales. */
export async function returnFlashUnits(trx: Transaction, orderId: string): Promise<void> {
  const lines = sql`order_lines WHERE order_id = ${orderId} AND takes_flash_units`;
  // Locked in the order of their ids: two orders of the same products never wait for each other in a circle. And before
  // the lines are read, which the start of another sale may just be changing.
  await sql`
    SELECT FROM products WHERE id IN (SELECT product_id FROM ${lines}) ORDER BY id FOR NO KEY UPDATE`.execute(
    trx,
  );
  await sql`
    UPDATE products SET flash_units_taken = greatest(0, flash_units_taken - taken.units)
    FROM (SELECT product_id, sum(quantity)::integer AS units FROM ${lines} GROUP BY product_id) AS taken
    WHERE products.id = taken.product_id`.execute(trx);
}

/** Whatever orders took of a product's flash sales so far is of none that still runs; the product must be locked. */
export async function settleFlashUnits(trx: Transaction, productId: string): Promise<void> {
  await trx
    .updateTable('order_lines')
    .set({ takes_flash_units: false })
    .where('product_id', '=', productId)
    .where('takes_flash_units', '=', true)
    .execute();
}

/**
 * Counts afresh what was sold of each product, for the sort by popularity. Apart from the sales themselves, which would
 * wait for each other at a popular product's row; rows in use are left for the next time.
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
