import { sql } from 'kysely';
import { type Database, hasRow, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { ParcelRow } from '../../platform/database/tables.ts';
import { unshippedUnits } from '../catalog/counted-stock.queries.ts';

/** Units of a line of an order, in a parcel or a refund. */
export interface LineUnits {
  order_line_id: string;
  quantity: number;
}

export type OrderParcel = ParcelRow & { lines: LineUnits[] };

/** Lists the parcels of these orders with their lines, per order in the sequence of shipping. */
export async function listParcels(db: Database, orderIds: readonly string[]): Promise<OrderParcel[]> {
  if (orderIds.length === 0) return [];
  return rowsOf<OrderParcel>(db)`
    SELECT parcels.*, (
      SELECT coalesce(json_agg(json_build_object('order_line_id', order_line_id, 'quantity', parcel_lines.quantity)
        ORDER BY position), '[]')
      FROM parcel_lines JOIN order_lines ON order_lines.id = order_line_id WHERE parcel_id = parcels.id) AS lines
    FROM parcels WHERE order_id = ANY (${orderIds}::uuid[]) ORDER BY order_id, number`;
}

/** Ships a parcel of a locked order, as parcels are numbered consecutively. False, without effect, when one has this id. */
export async function insertParcel(
  trx: Transaction,
  parcel: Pick<ParcelRow, 'id' | 'order_id' | 'carrier' | 'tracking_number' | 'shipped_at'>,
  units: readonly [line: string, quantity: number][],
): Promise<boolean> {
  const { id, order_id, carrier, tracking_number, shipped_at } = parcel;
  const isNew = await hasRow(trx)`
    INSERT INTO parcels (id, order_id, number, carrier, tracking_number, shipped_at)
    SELECT ${id}, ${order_id}, 1 + count(*)::integer, ${carrier}, ${tracking_number}, ${shipped_at}::timestamptz
    FROM parcels WHERE order_id = ${order_id}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  if (!isNew) return false;
  const lines = units.map(([line, quantity]) => ({ parcel_id: id, order_line_id: line, quantity }));
  await trx.insertInto('parcel_lines').values(lines).execute();
  await followParcels(trx, order_id, shipped_at);
  return true;
}

/** Marks one parcel of a locked order, or all parcels under way, as delivered. */
export async function markParcelsDelivered(trx: Transaction, orderId: string, now: Date, parcelId?: string) {
  // The clocks of two machines may differ, and a parcel must not arrive before it was shipped.
  await sql`
    UPDATE parcels SET delivered_at = greatest(shipped_at, ${now}::timestamptz)
    WHERE order_id = ${orderId} AND delivered_at IS NULL
      AND ${parcelId ? sql`id = ${parcelId}` : sql`true`}`.execute(trx);
  await followParcels(trx, orderId, now);
}

/**
 * Derives when an order was shipped and delivered from its parcels. An order is shipped when no unit waits to be
 * shipped, and delivered when all of its parcels are delivered. Without a parcel and without units to ship, both times
 * are now. The order must be locked and paid.
 */
export async function followParcels(trx: Transaction, orderId: string, now: Date): Promise<void> {
  await sql`
    UPDATE orders SET
      shipped_at = CASE WHEN is_shipped THEN coalesce(last_shipped, ${now}::timestamptz) END,
      delivered_at = CASE WHEN is_shipped AND on_their_way = 0
        THEN greatest(coalesce(last_delivered, ${now}::timestamptz), coalesce(last_shipped, ${now}::timestamptz)) END
    FROM (
      SELECT max(shipped_at) AS last_shipped, max(delivered_at) AS last_delivered,
        count(*) FILTER (WHERE delivered_at IS NULL) AS on_their_way,
        NOT EXISTS (SELECT FROM order_lines WHERE order_id = ${orderId} AND ${unshippedUnits} > 0) AS is_shipped
      FROM parcels WHERE order_id = ${orderId}
    ) AS travelled
    WHERE orders.id = ${orderId}`.execute(trx);
}

type WantedUnits = { line: string; quantity: number };

/** Adds up units by their line. */
export function sumUnits(wanted: readonly WantedUnits[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { line, quantity } of wanted) units.set(line, quantity + (units.get(line) ?? 0));
  return units;
}

/** Whether the wanted units equal those of a stored parcel or refund, in any sequence. */
export function areSameUnits(wanted: readonly WantedUnits[], stored: readonly LineUnits[]): boolean {
  const units = new Map(stored.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const asked = sumUnits(wanted);
  return asked.size === units.size && [...asked].every(([line, quantity]) => units.get(line) === quantity);
}
