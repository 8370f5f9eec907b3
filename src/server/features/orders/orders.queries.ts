import { sql, type UpdateObject } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { AppError } from '../../../shared/errors.ts';
import { AMOUNTS, byAmount, type Totals } from '../../../shared/pricing.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow, Tables } from '../../platform/database/tables.ts';
import type { Actor } from '../admin/audit-log.ts';
import { type OrderRefund, withRefunds } from './refunds.queries.ts';

/** `category` is the product's: its icon replaces a picture that does not load. */
export type OrderLine = OrderLineRow & { category: string };
type OrderWithLines = OrderRow & { lines: OrderLine[] };
export type FullOrder = OrderWithLines & { refunds: OrderRefund[] };
export type CancelReason = NonNullable<OrderRow['cancel_reason']>;

/** Milliseconds between two visits of the sweeper to an unfinished order. */
const SWEEP_EVERY_MS = 30_000;

export const nextSweep = (now: Date): Date => new Date(now.getTime() + SWEEP_EVERY_MS);

/** The columns of an order's sums. */
export const totalColumns = AMOUNTS.map((amount) => `${amount}_cents` as const);

type TotalColumns = Pick<OrderRow, (typeof totalColumns)[number]>;

export const totalsOfOrder = (order: TotalColumns): Totals => byAmount('Cents', (amount) => order[`${amount}_cents`]);

export const columnsOfTotals = (totals: Totals): TotalColumns =>
  byAmount('_cents', (amount) => totals[`${amount}Cents`]);

// Listed, because a prepared statement with a star fails when a migration adds a column.
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
  'carrier',
  'tracking_number',
  'refunded_cents',
  'disputed_at',
  'sweep_at',
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
] as const satisfies (keyof OrderLineRow)[];

const categoryOfLine = sql<string>`(SELECT category FROM products WHERE products.id = order_lines.product_id)`.as(
  'category',
);

export function findOrder(db: Database, id: string): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').select(orderColumns).where('id', '=', id).executeTakeFirst();
}

export function getOrder(db: Database, id: string): Promise<OrderRow> {
  return db.selectFrom('orders').select(orderColumns).where('id', '=', id).executeTakeFirstOrThrow();
}

/** Locks the order until the transaction ends: every change of state starts here. Rows can still refer to it. */
export function lockOrder(trx: Transaction, id: string): Promise<OrderRow> {
  return trx.selectFrom('orders').select(orderColumns).where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** The same for an administrator, whose row is locked first, because a refund refers to it. Throws NOT_FOUND. */
export async function lockOrderAsAdmin(trx: Transaction, id: string, actor: Actor): Promise<OrderRow> {
  if (!(await findOrder(trx, id))) throw new AppError('NOT_FOUND', 'Order not found');
  if (actor.userId !== null) {
    await trx.selectFrom('users').select('id').where('id', '=', actor.userId).forKeyShare().execute();
  }
  return lockOrder(trx, id);
}

export function findOrderByIntent(db: Database, intentId: string): Promise<OrderWithLines | undefined> {
  return db
    .selectFrom('orders')
    .select(orderColumns)
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('order_lines')
          .select(lineColumns)
          .select(categoryOfLine)
          .whereRef('order_id', '=', 'orders.id')
          .orderBy('position'),
      ).as('lines'),
    )
    .where('payment_intent_id', '=', intentId)
    .executeTakeFirst();
}

/** In the sequence of the cart. */
export function listOrderLines(db: Database, orderId: string): Promise<OrderLineRow[]> {
  return db.selectFrom('order_lines').select(lineColumns).where('order_id', '=', orderId).orderBy('position').execute();
}

export async function withLinesAndRefunds<T extends OrderRow>(db: Database, orders: readonly T[]) {
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  const lines = await db
    .selectFrom('order_lines')
    .select(lineColumns)
    .select(categoryOfLine)
    .where('order_id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .orderBy('position')
    .execute();
  return withRefunds(
    db,
    orders.map((order) => ({ ...order, lines: lines.filter((line) => line.order_id === order.id) })),
  );
}

export async function readFullOrder(db: Database, order: OrderRow): Promise<FullOrder> {
  const [full] = await withLinesAndRefunds(db, [order]);
  return full as FullOrder;
}

/** The order must be locked. */
export async function updateOrder(trx: Transaction, id: string, changes: UpdateObject<Tables, 'orders'>) {
  await trx.updateTable('orders').set(changes).where('id', '=', id).execute();
}

export async function markParcelDelivered(trx: Transaction, id: string, now: Date): Promise<void> {
  // The clocks of two machines may differ; nothing arrives before it is sent.
  await updateOrder(trx, id, { delivered_at: sql<Date>`greatest(shipped_at, ${now})` });
}

// Abandoned carts are hidden; an order whose payment failed after its start is shown.
export const isShownToBuyer = sql<boolean>`(type = 'physical' OR state NOT IN ('pending', 'cancelled') OR cancel_reason = 'payment-failed')`;

/** The orders that a buyer sees, newest first. */
export async function listOrdersOfUser(
  db: Database,
  userId: string,
  { type, limit = null }: { type?: OrderRow['type']; limit?: number | null },
): Promise<FullOrder[]> {
  const isOfType = type ? sql<boolean>`type = ${type}` : sql<boolean>`true`;
  const shown = db.selectFrom('orders').select(orderColumns).where('user_id', '=', userId).where(isShownToBuyer);
  const orders = await shown.where(isOfType).orderBy('created_at', 'desc').limit(limit).execute();
  return withLinesAndRefunds(db, orders);
}
