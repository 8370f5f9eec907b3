import { type RawBuilder, sql } from 'kysely';
import { type Database, fieldOf, hasRow, rowsOf, type Transaction } from '../../platform/database/database.ts';

/** The name of the fact that says when a backup was restored. */
export const RESTORED_AT = 'restored-at';

/**
 * Takes the units of an order's counted lines from the stock, all units of a line or none, and enters them in the
 * ledger. Returns the ids of the lines that got their units. Locks the products by id until the transaction ends. Takes
 * the units from `locked.stock`: PostgreSQL checks the constraint on the stock first with the row as it was before the
 * wait for the lock.
 */
export async function takeStock(
  trx: Transaction,
  lines: readonly { id: string; productId: string; quantity: number }[],
  now: Date,
): Promise<Set<string>> {
  const ids = lines.map(({ id }) => id);
  const products = lines.map(({ productId }) => productId);
  const quantities = lines.map(({ quantity }) => quantity);
  const rows = await rowsOf<{ line_id: string }>(trx)`
    WITH wanted AS (
      SELECT * FROM unnest(${ids}::uuid[], ${products}::uuid[], ${quantities}::integer[]) AS one (line_id, product_id, quantity)
    ),
    locked AS (SELECT id, stock FROM products WHERE id = ANY (${products}::uuid[]) ORDER BY id FOR NO KEY UPDATE),
    taken AS (
      UPDATE products SET stock = locked.stock - quantity FROM locked JOIN wanted ON product_id = locked.id
      WHERE products.id = locked.id AND locked.stock >= quantity RETURNING wanted.*
    ),
    entered AS (
      INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
      SELECT product_id, line_id, -quantity, 'held', ${now}::timestamptz FROM taken
    )
    SELECT line_id FROM taken`;
  return new Set(rows.map((row) => row.line_id));
}

/**
 * Returns the flash-sale units and counted goods that an order took. Call it in the transaction that cancels the order,
 * so that it happens once. Locks all products of the order, also for releaseItems, which must not run while a product
 * is being deleted or restored.
 */
export async function returnTakenUnits(trx: Transaction, orderId: string, now: Date): Promise<void> {
  await lockProductsOfOrder(trx, orderId);
  await returnFlashUnits(trx, orderId);
  await returnCountedUnits(trx, orderId, now);
}

/**
 * Locks the products of these order lines by id, so that two orders of them do not deadlock. Must run before the lines
 * are read, because the start of another flash sale may change them. False when there is no such line.
 */
const lockProductsOf = (trx: Transaction, lines: RawBuilder<unknown>): Promise<boolean> => hasRow(trx)`
  SELECT FROM products WHERE id IN (SELECT product_id FROM order_lines WHERE ${lines}) ORDER BY id FOR NO KEY UPDATE`;

export const lockProductsOfOrder = (trx: Transaction, orderId: string) =>
  lockProductsOf(trx, sql`order_id = ${orderId}`);

async function returnCountedUnits(trx: Transaction, orderId: string, now: Date): Promise<void> {
  await sql`
    WITH lines AS (
      SELECT id, product_id, least(counted_units, ${takenUnits}) AS counted, ${isSetAside} AS is_set_aside FROM order_lines
      WHERE order_id = ${orderId} AND counted_state IN ('held', 'allocated')
    ),
    released AS (
      UPDATE order_lines SET counted_state = 'released', counted_units = 0 FROM lines WHERE order_lines.id = lines.id
    ),
    entered AS (
      INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
      SELECT product_id, id, counted, 'released', ${now}::timestamptz FROM lines WHERE counted > 0
      UNION ALL ${countedOff(sql`counted`, now)}
    )
    UPDATE products SET stock = stock + counted
    FROM (
      SELECT product_id, sum(counted)::integer AS counted FROM lines WHERE counted > 0 AND NOT is_set_aside
      GROUP BY product_id
    ) AS taken
    WHERE products.id = taken.product_id`.execute(trx);
}

/** Units that a line has taken from the stock according to the ledger; 0 for a product without a limit. */
const takenUnits = sql`(SELECT -coalesce(sum(units), 0) FROM stock_changes WHERE order_line_id = order_lines.id)::integer`;

/**
 * The units of a line were taken from the stock before a backup was restored (secureRestored): they may have been sold
 * or shipped since, so they do not return to the stock until an administrator counts them.
 */
const isSetAside = sql<boolean>`EXISTS (
  SELECT FROM shop_facts JOIN stock_changes ON at <= value::timestamptz
  WHERE name = ${sql.lit(RESTORED_AT)} AND order_line_id = order_lines.id)`;

/** The ledger entries by which units that are set aside do not raise the stock. */
const countedOff = (units: RawBuilder<unknown>, now: Date) => sql`
  SELECT product_id, NULL, -${units}, 'counted', ${now}::timestamptz FROM lines WHERE ${units} > 0 AND is_set_aside`;

/** Units of a counted line that wait to be shipped. A refund reduces these units first. */
export const unshippedUnits = sql<number>`CASE WHEN counted_state = 'sold' AND delivery IS NULL THEN greatest(0, counted_units - (
  SELECT coalesce(sum(parcel_lines.quantity), 0) FROM parcel_lines WHERE order_line_id = order_lines.id))::integer ELSE 0 END`;

/** Items of a counted line that have left the shop: copies that were read, and items that a person has delivered. */
const leftItems = sql`items WHERE order_line_id = order_lines.id AND state = 'sold' AND (delivery = 'manual' OR unit IN (
  SELECT unit FROM items AS seen WHERE seen.order_line_id = order_lines.id AND first_viewed_at IS NOT NULL))`;

/** Units of a counted line that have not left the shop: not shipped, not read, or not delivered by a person. */
const unleftUnits = sql<number>`CASE WHEN delivery IS NULL THEN ${unshippedUnits} ELSE
  least(${takenUnits}, counted_units - (SELECT count(*) FROM ${leftItems})::integer) END`;

/**
 * Withdraws units of counted lines from their buyer; call it before their items are withdrawn. Units that have not left
 * the shop return to the stock, unless they are set aside. This increments the product's version, so that an
 * administrator who edits the stock at the same time gets a conflict. Shipped units do not return, nor does the item
 * `itemId` if it has left.
 */
export async function withdrawCountedUnits(
  trx: Transaction,
  lines: readonly { id: string; units: number }[],
  { itemId = null, now }: { itemId?: string | null | undefined; now: Date },
): Promise<void> {
  const ids = lines.map(({ id }) => id);
  const units = lines.map((line) => line.units);
  if (!(await lockProductsOf(trx, sql`id = ANY (${ids}::uuid[]) AND counted_state = 'sold'`))) return;
  await sql`
    WITH lines AS (
      SELECT order_lines.id, product_id, least(wanted.units, counted_units) AS units,
        least(wanted.units - (SELECT count(*) FROM ${leftItems} AND items.id = ${itemId}::uuid)::integer, ${unleftUnits}) AS shelved,
        ${isSetAside} AS is_set_aside
      FROM order_lines JOIN unnest(${ids}::uuid[], ${units}::integer[]) AS wanted (line_id, units) ON line_id = order_lines.id
      WHERE counted_state = 'sold'
    ),
    withdrawn AS (
      UPDATE order_lines SET counted_units = counted_units - lines.units FROM lines WHERE order_lines.id = lines.id
    ),
    entered AS (
      INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
      SELECT product_id, id, shelved, 'returned', ${now}::timestamptz FROM lines WHERE shelved > 0
      UNION ALL ${countedOff(sql`shelved`, now)}
    )
    UPDATE products SET stock = stock + shelved, version = version + 1 FROM lines
    WHERE products.id = product_id AND shelved > 0 AND NOT is_set_aside`.execute(trx);
}

/** Sums the units that administrators counted: the stock of a product if nothing had been sold or returned. */
export const sumCounts = (trx: Transaction, productId: string) => fieldOf<number>(trx)`
    SELECT coalesce(sum(units), 0)::integer FROM stock_changes WHERE product_id = ${productId} AND reason = 'counted'`;

/** Enters the differences of stock and ledger, after somebody set the stock or limit of products, which must be locked. */
export async function recordCounts(trx: Transaction, productIds: readonly string[], now: Date): Promise<void> {
  await sql`
    INSERT INTO stock_changes (product_id, units, reason, at)
    SELECT id, counted.units, 'counted', ${now}::timestamptz FROM products, LATERAL (
      SELECT stock - coalesce(sum(units), 0)::integer AS units FROM stock_changes WHERE product_id = products.id) AS counted
    WHERE id = ANY(${productIds}) AND stock IS NOT NULL AND counted.units <> 0`.execute(trx);
}

/** Returns the units of each line that wait to be shipped; 0 for digital lines. */
export async function listUnshippedUnits(db: Database, orderId: string): Promise<Map<string, number>> {
  const rows = await rowsOf<{ id: string; units: number }>(db)`
    SELECT id, ${unshippedUnits} AS units FROM order_lines WHERE order_id = ${orderId}`;
  return new Map(rows.map(({ id, units }) => [id, units]));
}

/**
 * Counts units of a flash sale as taken, without checking how many are left: the caller must hold the lock under which
 * quoteCart has checked it. The table's CHECK (0001_shop.sql) is only a backstop.
 */
export async function takeFlashUnits(trx: Transaction, productId: string, quantity: number): Promise<void> {
  await sql`
    UPDATE products SET flash_units_taken = flash_units_taken + ${quantity} WHERE id = ${productId}`.execute(trx);
}

/** Detaches existing order lines from the flash-sale counter: a new sale starts. The product must be locked. */
export async function detachFlashUnits(trx: Transaction, productId: string): Promise<void> {
  await sql`
    UPDATE order_lines SET takes_flash_units = false
    WHERE product_id = ${productId} AND takes_flash_units`.execute(trx);
}

/** Returns a cancelled order's flash-sale units (a refund returns none), but not detached ones. Products must be locked. */
async function returnFlashUnits(trx: Transaction, orderId: string): Promise<void> {
  await sql`
    UPDATE products SET flash_units_taken = greatest(0, flash_units_taken - units)
    FROM (
      SELECT product_id, sum(quantity)::integer AS units FROM order_lines
      WHERE order_id = ${orderId} AND takes_flash_units GROUP BY product_id
    ) AS taken
    WHERE products.id = taken.product_id`.execute(trx);
}
