import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';

/** A line with the category of its product, whose icon stands in for a picture that does not load. */
export type OrderLine = OrderLineRow & { category: string };
export type OrderWithLines = OrderRow & { lines: OrderLine[] };
export type CancelReason = NonNullable<OrderRow['cancel_reason']>;

/** Milliseconds between two looks of the sweeper at an order that is not finished. */
const SWEEP_EVERY_MS = 30_000;

export const nextSweep = (now: Date): Date => new Date(now.getTime() + SWEEP_EVERY_MS);

// Named one by one, because only a statement without a star stays prepared when a migration adds a column.
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
  'items_cents',
  'tax_cents',
  'shipping_cents',
  'total_cents',
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

export const categoryOfLine =
  sql<string>`(SELECT category FROM products WHERE products.id = order_lines.product_id)`.as('category');

export function findOrder(db: Database, id: string): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').select(orderColumns).where('id', '=', id).executeTakeFirst();
}

export async function getOrder(db: Database, id: string): Promise<OrderRow> {
  return db.selectFrom('orders').select(orderColumns).where('id', '=', id).executeTakeFirstOrThrow();
}

/** The order's row, locked until the transaction ends: every change of state starts here. Rows may still refer to it. */
export function lockOrder(trx: Transaction, id: string): Promise<OrderRow> {
  return trx
    .selectFrom('orders')
    .select(orderColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
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

export function listOrderLines(db: Database, orderIds: string[]): Promise<OrderLine[]> {
  if (orderIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('order_lines')
    .select(lineColumns)
    .select(categoryOfLine)
    .where('order_id', 'in', orderIds)
    .orderBy('position')
    .execute();
}

/** The units of each line whose money went back, or is on its way. */
export async function listRefundedUnits(db: Database, orderId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ order_line_id: string; quantity: number }>`
    SELECT order_line_id, sum(quantity)::integer AS quantity FROM refund_lines JOIN refunds ON refunds.id = refund_id
    WHERE order_id = ${orderId} GROUP BY order_line_id`.execute(db);
  return new Map(rows.map((row) => [row.order_line_id, row.quantity]));
}

export async function storeIntent(db: Database, id: string, intentId: string): Promise<void> {
  await db
    .updateTable('orders')
    .set({ payment_intent_id: intentId })
    .where('id', '=', id)
    .where('payment_intent_id', 'is', null)
    .execute();
}

export async function markCancelled(
  trx: Transaction,
  id: string,
  reason: CancelReason,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('orders')
    .set({ state: 'cancelled', cancel_reason: reason, cancelled_at: now, sweep_at: null })
    .where('id', '=', id)
    .execute();
}

export async function markRefunding(trx: Transaction, id: string, reason: string, now: Date): Promise<void> {
  await trx
    .updateTable('orders')
    .set({ state: 'refunding', refund_reason: reason, sweep_at: nextSweep(now) })
    .where('id', '=', id)
    .execute();
}

export async function markRefunded(trx: Transaction, id: string, now: Date): Promise<void> {
  await trx
    .updateTable('orders')
    .set(({ ref }) => ({
      state: 'refunded',
      refunded_at: now,
      refunded_cents: ref('total_cents'),
      sweep_at: null,
    }))
    .where('id', '=', id)
    .execute();
}

/** Has the sweeper come for what is about to be done, should nobody live to do it. */
export async function sweepLater(trx: Transaction, id: string, now: Date): Promise<void> {
  await trx
    .updateTable('orders')
    .set({ sweep_at: nextSweep(now) })
    .where('id', '=', id)
    .execute();
}

/** A part of its money that is on its way back is still followed by the sweeper. */
export async function markDisputed(trx: Transaction, id: string, now: Date): Promise<void> {
  await trx.updateTable('orders').set({ state: 'disputed', disputed_at: now }).where('id', '=', id).execute();
}

/** What a person may look at of their orders: paid ones, and ones whose payment came to nothing on the way; no abandoned carts. */
export const shownToBuyer = sql<boolean>`(type = 'physical' OR state NOT IN ('pending', 'cancelled') OR cancel_reason = 'payment-failed')`;

export async function listOrdersOfUser(
  db: Database,
  userId: string,
  type: OrderRow['type'],
): Promise<OrderWithLines[]> {
  const orders = await db
    .selectFrom('orders')
    .select(orderColumns)
    .where('user_id', '=', userId)
    .where('type', '=', type)
    .where(shownToBuyer)
    .orderBy('created_at', 'desc')
    .execute();
  const lines = await listOrderLines(
    db,
    orders.map((order) => order.id),
  );
  return orders.map((order) => ({ ...order, lines: lines.filter((line) => line.order_id === order.id) }));
}

/** Gives the paid orders of a proven e-mail address, which nobody owns yet, to its account. */
export async function adoptOrders(trx: Transaction, { email, userId }: { email: string; userId: string }) {
  await trx
    .updateTable('orders')
    .set({ user_id: userId })
    .where('contact_email', '=', email)
    .where('user_id', 'is', null)
    .where('state', '<>', 'pending')
    .execute();
}

/** Orders that say they were paid in a period, for reconciliation with the provider. */
export function listPaidOrders(
  db: Database,
  paidSince: Date,
): Promise<Pick<OrderRow, 'id' | 'payment_intent_id'>[]> {
  return db
    .selectFrom('orders')
    .select(['id', 'payment_intent_id'])
    .where('type', '=', 'digital')
    .where('paid_at', '>=', paidSince)
    .where('payment_intent_id', 'is not', null)
    .execute();
}
