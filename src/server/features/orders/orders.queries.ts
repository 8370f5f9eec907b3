import { sql, type UpdateObject } from 'kysely';
import { DEFAULT_COUNTRY } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import { AMOUNTS, byAmount, type Totals } from '../../../shared/pricing.ts';
import type { ShippingAddress } from '../../../shared/shipping.ts';
import { type Database, firstRowOf, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { OrderLineRow, OrderRow, ProductRow, Tables } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { listParcels, type OrderParcel } from './parcels.queries.ts';
import { type OrderRefund, withRefunds } from './refunds.queries.ts';

/** A line of an order. `category` and `kind` are the product's; the category's icon stands for a missing picture. */
export type OrderLine = OrderLineRow & Pick<ProductRow, 'category' | 'kind'>;
type OrderWithLines = OrderRow & { lines: OrderLine[] };
export type FullOrder = OrderWithLines & { refunds: OrderRefund[]; parcels: OrderParcel[] };
export type CancelReason = NonNullable<OrderRow['cancel_reason']>;

/** Time between two visits of the sweeper to an unfinished order. */
const SWEEP_EVERY_MS = 30_000;

/** Returns when the sweeper visits an order that is written or changed now, unless the order is finished before. */
export const nextSweep = (now: Date): Date => new Date(now.getTime() + SWEEP_EVERY_MS);

/** The columns of an order's amounts: subtotal, tax, shipping and total. */
export const totalColumns = AMOUNTS.map((amount) => `${amount}_cents` as const);

type TotalColumns = Pick<OrderRow, (typeof totalColumns)[number]>;

export const totalsOfOrder = (order: TotalColumns): Totals => byAmount('Cents', (amount) => order[`${amount}_cents`]);

export const columnsOfTotals = (totals: Totals): TotalColumns =>
  byAmount('_cents', (amount) => totals[`${amount}Cents`]);

export const columnsOfAddress = ({ zipCode, ...address }: ShippingAddress) => ({
  shipping_street: address.street,
  shipping_city: address.city,
  shipping_state: address.state,
  shipping_zip_code: zipCode,
  shipping_country: address.country,
});

export const addressOfOrder = (order: OrderRow): ShippingAddress | null =>
  order.type === 'digital'
    ? null
    : {
        street: order.shipping_street ?? '',
        city: order.shipping_city ?? '',
        state: order.shipping_state ?? '',
        zipCode: order.shipping_zip_code ?? '',
        country: order.shipping_country ?? DEFAULT_COUNTRY,
      };

// Listed by name, because a prepared SELECT * fails when a migration adds a column.
export const orderColumns = [
  'id',
  'type',
  'state',
  'user_id',
  'contact_email',
  'guest',
  'guest_name',
  'guest_phone',
  'made_account',
  'checkout_hash',
  'ip',
  ...totalColumns,
  'payment_intent_id',
  'payment_attempt',
  'refund_reason',
  'cancel_reason',
  'shipping_street',
  'shipping_city',
  'shipping_state',
  'shipping_zip_code',
  'shipping_country',
  'created_at',
  'hold_expires_at',
  'paid_at',
  'fulfilled_at',
  'cancelled_at',
  'refunded_at',
  'shipped_at',
  'delivered_at',
  'refunded_cents',
  'disputed_at',
  'waiting_units',
  'sweep_at',
  'items_open_at',
] as const satisfies (keyof OrderRow)[];

const lineColumns = [
  'id',
  'order_id',
  'position',
  'product_id',
  'name',
  'image',
  'quantity',
  'unit_price_cents',
  'takes_flash_units',
  'delivery_instructions',
  'warranty_days',
  'delivery',
  'download_limit',
  'download_days',
  'region',
  'platform',
  'counted_state',
  'counted_units',
] as const satisfies (keyof OrderLineRow)[];

export const columnsOf = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

/** Selects lines with what they have of their products, for a condition. */
const fullLines = sql`
  SELECT ${columnsOf(lineColumns)},
    (SELECT category FROM products WHERE products.id = order_lines.product_id) AS category,
    (SELECT kind FROM products WHERE products.id = order_lines.product_id) AS kind
  FROM order_lines`;

export const selectOrder = (db: Database, id: string) =>
  db.selectFrom('orders').select(orderColumns).where('id', '=', id);

export const findOrder = (db: Database, id: string): Promise<OrderRow | undefined> =>
  selectOrder(db, id).executeTakeFirst();

export const getOrder = (db: Database, id: string): Promise<OrderRow> => selectOrder(db, id).executeTakeFirstOrThrow();

/**
 * Locks an order until the transaction ends; required before any change of its state. Other transactions can still
 * insert rows that refer to the order.
 */
export const lockOrder = (trx: Transaction, id: string): Promise<OrderRow> =>
  selectOrder(trx, id).forNoKeyUpdate().executeTakeFirstOrThrow();

export type AdminChange = { orderId: string; actor: Actor };

/** Locks an order for an administrator, whose row is locked first, because a refund refers to it. Throws NOT_FOUND. */
export async function lockOrderAsAdmin(trx: Transaction, id: string, { userId }: Actor): Promise<OrderRow> {
  if (!(await findOrder(trx, id))) throw new AppError('NOT_FOUND', 'Order not found');
  if (userId !== null) await trx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare().execute();
  return lockOrder(trx, id);
}

export const findOrderByIntent = (db: Database, intentId: string) => firstRowOf<OrderWithLines>(db)`
  SELECT ${columnsOf(orderColumns)}, (
    SELECT coalesce(json_agg(lines ORDER BY position), '[]')
    FROM (${fullLines} WHERE order_id = orders.id) AS lines) AS lines
  FROM orders WHERE payment_intent_id = ${intentId}`;

export function listOrderLines(db: Database, orderId: string): Promise<OrderLineRow[]> {
  return db.selectFrom('order_lines').select(lineColumns).where('order_id', '=', orderId).orderBy('position').execute();
}

export async function readFullOrders<T extends OrderRow>(db: Database, orders: readonly T[]) {
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  const lines = await rowsOf<OrderLine>(db)`${fullLines} WHERE order_id = ANY (${ids}::uuid[]) ORDER BY position`;
  return withRefundsAndParcels(
    db,
    orders.map((order) => ({ ...order, lines: lines.filter((line) => line.order_id === order.id) })),
  );
}

/** Adds refunds and parcels. Queries parcels only of paid orders of physical goods, because no others have parcels. */
export async function withRefundsAndParcels<T extends OrderRow & { lines: OrderLine[] }>(
  db: Database,
  orders: readonly T[],
) {
  const mayHave = orders.filter(({ type, paid_at }) => type === 'physical' && paid_at !== null);
  const ids = mayHave.map(({ id }) => id);
  const parcels = await listParcels(db, ids);
  const refunded = await withRefunds(db, orders);
  return refunded.map((order) => ({ ...order, parcels: parcels.filter((parcel) => parcel.order_id === order.id) }));
}

export async function readFullOrder(db: Database, order: OrderRow): Promise<FullOrder> {
  const [full] = await readFullOrders(db, [order]);
  return full as FullOrder;
}

export const listAllUnits = (db: Database, orderId: string): Promise<{ id: string; units: number }[]> =>
  db.selectFrom('order_lines').select(['id', 'quantity as units']).where('order_id', '=', orderId).execute();

/** Changes an order, which must be locked. */
export async function updateOrder(trx: Transaction, id: string, changes: UpdateObject<Tables, 'orders'>) {
  await trx.updateTable('orders').set(changes).where('id', '=', id).execute();
}

/** SQL for the number of an order, as it is shown and searched. */
export const numberOf = (orderId: string) => sql`'#' || upper(right(${sql.ref(orderId)}::text, 8))`;

// A buyer does not see pending and cancelled orders, except orders whose payment failed.
export const isShownToBuyer = sql<boolean>`(state NOT IN ('pending', 'cancelled') OR cancel_reason = 'payment-failed')`;

/** Returns an order that its buyer may see; undefined for another user's order. */
export const findOrderOfUser = (db: Database, { orderId, userId }: { orderId: string; userId: string }) =>
  selectOrder(db, orderId).where(isShownToBuyer).where('user_id', '=', userId).executeTakeFirst();

/** Throws NOT_FOUND when the order is missing, or belongs to another user. */
export async function assertOwnOrder(db: Database, id: string, userId: string): Promise<void> {
  if ((await findOrder(db, id))?.user_id !== userId) throw new AppError('NOT_FOUND', 'Order not found');
}

/** Locks an order for its buyer. Throws NOT_FOUND, also when a corrected e-mail has just made it another account's. */
export async function lockOwnOrder(trx: Transaction, id: string, userId: string): Promise<OrderRow> {
  const order = await lockOrder(trx, id);
  if (order.user_id !== userId) throw new AppError('NOT_FOUND', 'Order not found');
  return order;
}
