import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { ProductKind } from '../../../shared/catalog.ts';
import type { AdminProductsQuery } from '../../../shared/products.ts';
import {
  type Database,
  firstRowOf,
  hasRow,
  insertUnlessKnown,
  rowOf,
  type Transaction,
} from '../../platform/database/database.ts';
import {
  containing,
  newestFirst,
  onePage,
  placeOf,
  readCountedPage,
  sortTerms,
} from '../../platform/database/list-queries.ts';
import type { NewProduct, ProductFileRow, ProductRow, Tables } from '../../platform/database/tables.ts';
import { closedMessage } from '../closing/closing.ts';
import { countedItems, hasContent, isCurrentFile, unitColumns } from '../inventory/stock.queries.ts';

/** A product with the number of its items; `total` counts those that were sold or can still be sold. */
export type ProductWithItems = ProductRow & SoldFile & { total: number; available: number; held: number; sold: number };

/** The file that buyers of a product download; null without one. */
export type SoldFile = { file: Pick<ProductFileRow, 'name' | 'bytes'> | null };

// The checkout reads products for every order, so it reads only the columns that it uses.
const quotedColumns = [
  'id',
  'kind',
  'name',
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
  'is_active',
  'delivery_instructions',
  'warranty_days',
  'delivery',
  'download_limit',
  'download_days',
  'region',
  'platform',
  'buyer_fields',
  'stock',
  'weight_grams',
] as const satisfies (keyof ProductRow)[];

// A literal, so that the partial indexes of products apply.
const isOfKind = (kind: ProductKind) => sql`kind = ${sql.lit(kind)}`;

const matching = (kind: ProductKind, { status, delivery, q }: AdminProductsQuery) => sql`
  ${isOfKind(kind)}
  AND ${status === undefined ? sql`true` : sql`is_active = ${status === 'active'}`}
  AND ${delivery === undefined ? sql`true` : sql`delivery = ${delivery}`}
  AND ${q ? containsWords(kind, containing(q)) : sql`true`}`;

const containsWords = (kind: ProductKind, pattern: string) =>
  kind === 'digital' ? sql`name ILIKE ${pattern}` : sql`(name ILIKE ${pattern} OR category ILIKE ${pattern})`;

const newest = newestFirst('products');

/** Counts the items of the chosen products only. */
const withItems = (chosen: RawBuilder<unknown>) => sql`
  SELECT products.*, ${soldFile} AS file, ${unitColumns}, held
  FROM (SELECT *, ${placeOf(newest)} FROM products WHERE ${chosen}) AS products, LATERAL (${countedItems}) AS counted
  ORDER BY ${sortTerms(newest)}`;

export function listProducts(db: Database, kind: ProductKind, query: AdminProductsQuery) {
  const isFound = matching(kind, query);
  const page = withItems(sql`${isFound} ${onePage(newest, query)}`);
  return readCountedPage<ProductWithItems>(db, { page, all: sql`SELECT 1 FROM products WHERE ${isFound}` }, query);
}

/** Undefined also for a product of the other kind. */
export const findProduct = (db: Database, kind: ProductKind, id: string) => firstRowOf<ProductWithItems>(db)`
  ${withItems(sql`id = ${id} AND ${isOfKind(kind)}`)}`;

export const countByActivity = (db: Database, kind: ProductKind) => rowOf<Record<'active' | 'inactive', number>>(db)`
  SELECT (count(*) FILTER (WHERE is_active))::integer AS active,
    (count(*) FILTER (WHERE NOT is_active))::integer AS inactive
  FROM products WHERE ${isOfKind(kind)}`;

/** Whether another active product of the kind has the name, regardless of case. */
export const hasSameName = (db: Database, { kind, id, name }: { kind: ProductKind; id: string; name: string }) =>
  hasRow(db)`
    SELECT FROM products
    WHERE ${isOfKind(kind)} AND lower(name) = lower(${name}) AND is_active AND id <> ${id} LIMIT 1`;

export const insertProduct = (trx: Transaction, product: NewProduct): Promise<boolean> =>
  insertUnlessKnown(trx, 'products', product);

/** Updates a product and increments its version. The row must be locked. */
export async function saveProduct(trx: Transaction, id: string, changes: Updateable<Tables['products']>) {
  const edit = { ...changes, version: sql<number>`version + 1` };
  await trx.updateTable('products').set(edit).where('id', '=', id).execute();
}

export const soldFile = sql<SoldFile['file']>`CASE products.delivery WHEN 'file' THEN (
  SELECT json_build_object('name', name, 'bytes', bytes) FROM product_files
  WHERE product_id = products.id AND ${isCurrentFile}) END`;

export type QuotedProduct = Pick<ProductRow, (typeof quotedColumns)[number]> & { has_content: boolean };

/** `closed`: the message to buyers while the shop is closed, else null. */
type QuotedNow = QuotedProduct & { closed: string | null };

const quotedProducts = (db: Database, ids: string[]) =>
  db
    .selectFrom('products')
    .select(quotedColumns)
    .select([hasContent.as('has_content'), closedMessage.as('closed')])
    .where('id', 'in', ids);

export const listQuotedProducts = (db: Database, ids: string[]): Promise<QuotedNow[]> =>
  quotedProducts(db, ids).execute();

/**
 * The same for an order, which keeps the products from being deleted until the transaction ends. Its lines refer to them,
 * but only after it has locked items, for which a deletion may wait.
 */
export const keepQuotedProducts = (trx: Transaction, ids: string[]): Promise<QuotedNow[]> =>
  quotedProducts(trx, ids).forKeyShare('products').execute();

/**
 * The same under a lock, so that buyers of a limited flash sale take units one after the other. Returns the rows as they
 * are after the wait for the locks, which relies on READ COMMITTED.
 */
export const lockQuotedProducts = (trx: Transaction, ids: string[]): Promise<QuotedNow[]> =>
  quotedProducts(trx, ids).orderBy('id').forNoKeyUpdate('products').execute();

/** Locks products by id until the transaction ends, and returns their rows after the wait for the locks. */
export const lockProductsById = (trx: Transaction, ids: string[]): Promise<ProductRow[]> =>
  trx.selectFrom('products').selectAll().where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute();

/** Locks a product that is about to be deleted, and first waits for the uploads of items that have begun for it. */
export const lockAgainstUploads = (trx: Transaction, id: string) =>
  sql`SELECT FROM products WHERE id = ${id} FOR UPDATE`.execute(trx);

/** Stores a picture. A picture that exists is only marked as used. */
export const insertImage = (trx: Transaction, image: Insertable<Tables['images']>) =>
  sql`${trx.insertInto('images').values(image)} ON CONFLICT (id) DO UPDATE SET unused_since = NULL`.execute(trx);

export const findImage = (db: Database, id: string) =>
  db.selectFrom('images').select(['content', 'media_type']).where('id', '=', id).executeTakeFirst();
