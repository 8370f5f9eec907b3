import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { UNLIMITED_STOCK } from '../../../shared/cart-rules.ts';
import type { ProductKind, SortOption } from '../../../shared/catalog.ts';
import type { Counted } from '../../../shared/paging.ts';
import {
  containing,
  countUpTo,
  onePage,
  type PageStart,
  placeOf,
  type Sort,
} from '../../platform/database/list-queries.ts';
import { type Database, rowsOf } from '../../platform/database/open-database.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';
import { countedStock } from '../inventory/stock.queries.ts';
import { type SoldFile, soldFile } from './products.queries.ts';

/** `available` units can be bought now; `held` units belong to unpaid orders. */
export type ProductOnSale = ProductRow & SoldFile & { available: number; held: number };

/** The products of a kind that shoppers see. The kind is a literal, so that the partial indexes of products apply. */
const onSale = (kind: ProductKind) => sql<SqlBool>`products.kind = ${sql.lit(kind)} AND products.is_active`;

interface CatalogFilter {
  kind: ProductKind;
  category: string | undefined;
  nameContains: string | undefined;
  ids: string[] | undefined;
}

type CatalogPage = CatalogFilter & PageStart & { sort: SortOption; now: Date };

/**
 * The columns of ProductOnSale: the number of items, or of counted units, and the file. The states are literals, so
 * that the partial indexes of items apply.
 */
export const stockColumns = (eb: ExpressionBuilder<Tables, 'products'>) =>
  [
    sql<number>`CASE products.delivery WHEN 'unique' THEN ${unitsIn(eb, 'available')} ELSE ${countedStock} END`.as(
      'available',
    ),
    sql<number>`CASE products.delivery WHEN 'unique' THEN ${unitsIn(eb, 'held')} ELSE ${countedUnitsHeld} END`.as(
      'held',
    ),
    soldFile.as('file'),
  ] as const;

const countedUnitsHeld = sql<number>`(
  SELECT coalesce(sum(counted_units), 0)::integer FROM order_lines
  WHERE product_id = products.id AND counted_state = 'held')`;

const unitsIn = (eb: ExpressionBuilder<Tables, 'products'>, state: 'available' | 'held') =>
  eb
    .selectFrom('items')
    .whereRef('items.product_id', '=', 'products.id')
    .where('items.state', '=', sql.lit(state))
    .select((count) => count.cast<number>(count.fn.countAll(), 'integer').as('n'))
    .$asScalar()
    .$notNull();

function sortBy(option: SortOption, now: Date): Sort {
  const price = sql`effective_price_cents(products, ${now})`;
  const id = { value: sql`products.id`, type: 'uuid' as const };
  const created = { value: sql`products.created_at`, type: 'timestamptz' as const };
  const number = (value: typeof price) => ({ value, type: 'integer' as const });
  const columns = {
    featured: [number(sql`products.featured::integer`), created, id],
    newest: [created, id],
    popular: [number(sql`products.sold_count`), id],
    price_desc: [number(price), id],
    price_asc: [number(price), id],
  };
  return { columns: columns[option], direction: option === 'price_asc' ? 'ASC' : 'DESC' };
}

/**
 * Recounts the sold units of each product, for the sort by popularity. Sales do not update the count themselves,
 * because they would wait for each other at a popular product's row. Locked rows are left for the next run.
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

export function listActiveProducts(db: Database, page: CatalogPage): Promise<(ProductOnSale & { place: string[] })[]> {
  const sort = sortBy(page.sort, page.now);
  return db
    .selectFrom('products')
    .selectAll('products')
    .select(stockColumns)
    .select(placeOf(sort))
    .where(matching(page))
    .$call(onePage(sort, page))
    .execute();
}

const matching =
  ({ kind, category, nameContains, ids }: CatalogFilter) =>
  (eb: ExpressionBuilder<Tables, 'products'>) =>
    eb.and([
      onSale(kind),
      ...(category ? [eb('category', '=', category)] : []),
      ...(nameContains ? [eb('name', 'ilike', containing(nameContains))] : []),
      ...(ids ? [eb('id', 'in', ids)] : []),
    ]);

export function countActiveProducts(db: Database, filter: CatalogFilter): Promise<Counted> {
  const found = db.selectFrom('products').select('id').where(matching(filter));
  return countUpTo(db, sql`${found}`);
}

/** Finds an active product of either kind. */
export function findActiveProduct(db: Database, id: string): Promise<ProductOnSale | undefined> {
  const products = db.selectFrom('products').selectAll('products').select(stockColumns);
  return products.where('id', '=', id).where('is_active', '=', true).executeTakeFirst();
}

export const listCategoryStock = (db: Database, kind: ProductKind) => rowsOf<{ name: string; totalStock: number }>(db)`
  SELECT category AS name, least(sum(units), ${sql.lit(UNLIMITED_STOCK)})::integer AS "totalStock" FROM (
    SELECT category, count(items.id) AS units
    FROM products LEFT JOIN items ON items.product_id = products.id AND items.state = 'available'
    WHERE ${onSale(kind)} AND products.delivery = 'unique' GROUP BY category
    UNION ALL
    SELECT category, ${countedStock} FROM products WHERE ${onSale(kind)} AND products.delivery IS DISTINCT FROM 'unique'
  ) AS units GROUP BY category ORDER BY category`;

/** For the sitemap, newest first. */
export function listActiveProductIds(db: Database, limit: number): Promise<Pick<ProductRow, 'id' | 'kind'>[]> {
  const products = db.selectFrom('products').select(['id', 'kind']).where('is_active', '=', true);
  return products.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute();
}
