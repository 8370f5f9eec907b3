import { sql } from 'kysely';
import { UNLIMITED_STOCK } from '../../../shared/cart-rules.ts';
import type { CategoryEntry, ProductKind, SortOption } from '../../../shared/catalog.ts';
import { type Database, firstRowOf, rowsOf } from '../../platform/database/database.ts';
import {
  containing,
  countUpTo,
  onePage,
  type PageStart,
  placeOf,
  type Sort,
} from '../../platform/database/list-queries.ts';
import type { ProductRow } from '../../platform/database/tables.ts';
import { countedStock } from '../inventory/stock.queries.ts';
import { type SoldFile, soldFile } from './products.queries.ts';

/** `available` units can be bought now; `held` units belong to unpaid orders. */
export type ProductOnSale = ProductRow & SoldFile & { available: number; held: number };

/** The products of a kind that shoppers see. The kind is a literal, so that the partial indexes of products apply. */
const onSale = (kind: ProductKind) => sql`products.kind = ${sql.lit(kind)} AND products.is_active`;

interface CatalogFilter {
  kind: ProductKind;
  category: string | undefined;
  nameContains: string | undefined;
  ids: string[] | undefined;
}

type CatalogPage = CatalogFilter & PageStart & { sort: SortOption; now: Date };

// The states are literals, so that the partial indexes of items apply.
const itemsIn = (state: 'available' | 'held') => sql`(
  SELECT count(*)::integer FROM items WHERE items.product_id = products.id AND items.state = ${sql.lit(state)})`;

const countedUnitsHeld = sql`(
  SELECT coalesce(sum(counted_units), 0)::integer FROM order_lines
  WHERE product_id = products.id AND counted_state = 'held')`;

export const columnsOnSale = sql`products.*, ${soldFile} AS file,
  CASE products.delivery WHEN 'unique' THEN ${itemsIn('available')} ELSE ${countedStock} END AS available,
  CASE products.delivery WHEN 'unique' THEN ${itemsIn('held')} ELSE ${countedUnitsHeld} END AS held`;

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
export const refreshSoldCounts = (db: Database) =>
  sql`
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

export function listActiveProducts(db: Database, page: CatalogPage) {
  const sort = sortBy(page.sort, page.now);
  return rowsOf<ProductOnSale & { place: string[] }>(db)`
    SELECT ${columnsOnSale}, ${placeOf(sort)} FROM products WHERE ${matching(page)} ${onePage(sort, page)}`;
}

const matching = ({ kind, category, nameContains, ids }: CatalogFilter) => sql`
  ${onSale(kind)}
  AND ${category ? sql`category = ${category}` : sql`true`}
  AND ${nameContains ? sql`name ILIKE ${containing(nameContains)}` : sql`true`}
  AND ${ids ? sql`id = ANY (${ids}::uuid[])` : sql`true`}`;

export const countActiveProducts = (db: Database, filter: CatalogFilter) =>
  countUpTo(db, sql`SELECT FROM products WHERE ${matching(filter)}`);

export const findActiveProduct = (db: Database, id: string) => firstRowOf<ProductOnSale>(db)`
  SELECT ${columnsOnSale} FROM products WHERE id = ${id} AND is_active`;

export const listCategoryStock = (db: Database, kind: ProductKind) => rowsOf<CategoryEntry>(db)`
  SELECT category AS name, least(sum(units), ${sql.lit(UNLIMITED_STOCK)})::integer AS "totalStock" FROM (
    SELECT category, count(items.id) AS units
    FROM products LEFT JOIN items ON items.product_id = products.id AND items.state = 'available'
    WHERE ${onSale(kind)} AND products.delivery = 'unique' GROUP BY category
    UNION ALL
    SELECT category, ${countedStock} FROM products WHERE ${onSale(kind)} AND products.delivery IS DISTINCT FROM 'unique'
  ) AS units GROUP BY category ORDER BY category`;

/** For the sitemap, newest first. */
export const listActiveProductIds = (db: Database, limit: number) => rowsOf<Pick<ProductRow, 'id' | 'kind'>>(db)`
  SELECT id, kind FROM products WHERE is_active ORDER BY created_at DESC, id LIMIT ${limit}`;
