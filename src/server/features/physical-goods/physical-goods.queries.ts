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
import type { PhysicalProductRow, Tables } from '../../platform/database/tables.ts';
import { containing } from '../../platform/database/text-search.ts';

export interface PhysicalProductSearch {
  status: 'active' | 'inactive' | undefined;
  /** Part of the name or of the category. */
  contains: string | undefined;
}

const columns = [
  'id',
  'name',
  'description',
  'brand',
  'category',
  'image',
  'price_cents',
  'stock',
  'rating_tenths',
  'review_count',
  'is_active',
  'version',
  'created_at',
] as const;

const matching = ({ status, contains }: PhysicalProductSearch) => sql<boolean>`
  ${status === undefined ? sql`true` : sql`is_active = ${status === 'active'}`}
  AND ${contains ? sql`(name ILIKE ${containing(contains)} OR category ILIKE ${containing(contains)})` : sql`true`}`;

export function listPhysicalProducts(
  db: Database,
  { cursor, limit, ...search }: PhysicalProductSearch & PageStart,
): Promise<(PhysicalProductRow & { place: string[] })[]> {
  return db
    .selectFrom('physical_products')
    .select(columns)
    .select(placeOf('physical_products'))
    .where(matching(search))
    .where(afterCursor('physical_products', cursor))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsToRead({ limit }))
    .execute();
}

export const countPhysicalProducts = (db: Database, search: PhysicalProductSearch): Promise<Counted> =>
  countUpTo(db, sql`SELECT 1 FROM physical_products WHERE ${matching(search)}`);

export function findPhysicalProduct(db: Database, id: string): Promise<PhysicalProductRow | undefined> {
  return db.selectFrom('physical_products').select(columns).where('id', '=', id).executeTakeFirst();
}

export function lockPhysicalProduct(trx: Transaction, id: string): Promise<PhysicalProductRow | undefined> {
  return trx
    .selectFrom('physical_products')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** False when there is a product of this id already, which then stays as it is. */
export async function insertPhysicalProduct(
  trx: Transaction,
  product: Insertable<Tables['physical_products']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('physical_products')
    .values(product)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Writes what changes and counts the edit; the row must be locked. */
export async function savePhysicalProduct(
  trx: Transaction,
  id: string,
  changes: Updateable<Tables['physical_products']>,
): Promise<void> {
  await trx
    .updateTable('physical_products')
    .set((eb) => ({ ...changes, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/**
 * Puts units of an order back that never left the shop, in the order of the products' ids, as everybody locks them. It is
 * an edit: who typed another stock meanwhile is told.
 */
export async function returnToShelf(
  trx: Transaction,
  lines: readonly { physical_product_id: string | null; units: number }[],
): Promise<void> {
  const sorted = lines.toSorted((one, other) =>
    (one.physical_product_id ?? '').localeCompare(other.physical_product_id ?? ''),
  );
  for (const { physical_product_id: id, units } of sorted) {
    await trx
      .updateTable('physical_products')
      .set((eb) => ({ stock: eb('stock', '+', units), version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .execute();
  }
}
