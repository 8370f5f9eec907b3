import { type Insertable, sql } from 'kysely';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { OrderState, PaidCard } from '../../../shared/orders.ts';
import {
  columnOf,
  type Database,
  firstRowOf,
  latestPast,
  rowOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';
import type { PaymentEvent } from '../../platform/payments/payments.ts';
import { closedMessage } from '../closing/closing.ts';
import type { CopiedLine } from '../delivery/make-items.ts';
import { insertingNotices } from '../notices/notices.queries.ts';
import { columnsOf, nextSweep, orderColumns, selectOrder, totalColumns } from '../orders/orders.queries.ts';

const payableColumns = ['id', 'contact_email', 'ip', ...totalColumns, 'payment_intent_id', 'payment_attempt'] as const;
const payable = columnsOf(payableColumns);

export type PayableOrder = Pick<OrderRow, (typeof payableColumns)[number]> & {
  /** Ids of the items that were held when the order was written, sorted; undefined for an order that was read again. */
  itemIds?: string[];
};

/**
 * Writes an order with its lines and holds available items for each line, oldest first. There may be fewer items than
 * units: the caller must compare the numbers. Items locked by a concurrent order are skipped, so that nobody waits and
 * no item is held twice.
 */
export async function insertOrderHoldingGoods(
  trx: Transaction,
  order: Insertable<Tables['orders']>,
  lines: Insertable<Tables['order_lines']>[],
): Promise<{ order: PayableOrder; heldOfLine: Map<string, number> }> {
  const { held, item_ids, ...written } = await rowOf<
    PayableOrder & { held: string[] | null; item_ids: string[] | null }
  >(trx)`
    WITH written AS (${trx.insertInto('orders').values(order)} RETURNING ${payable}),
    lines AS (${trx.insertInto('order_lines').values(lines)} RETURNING id, product_id, quantity),
    picked AS (
      SELECT lines.id AS line_id, item.id, row_number() OVER (PARTITION BY lines.id) AS unit
      FROM lines CROSS JOIN LATERAL (
        SELECT id FROM items WHERE product_id = lines.product_id AND state = 'available'
        ORDER BY id LIMIT lines.quantity FOR UPDATE SKIP LOCKED
      ) AS item
    ),
    held AS (
      UPDATE items SET state = 'held', order_line_id = line_id, unit = picked.unit
      FROM picked WHERE items.id = picked.id RETURNING items.id, order_line_id
    )
    SELECT ${payable}, (SELECT array_agg(order_line_id) FROM held) AS held,
      (SELECT array_agg(id ORDER BY id) FROM held) AS item_ids
    FROM written`;
  const heldOfLine = new Map<string, number>();
  for (const id of held ?? []) heldOfLine.set(id, (heldOfLine.get(id) ?? 0) + 1);
  return { order: { ...written, itemIds: item_ids ?? [] }, heldOfLine };
}

export const findOrderAndClosed = (db: Database, id: string) =>
  selectOrder(db, id).select(closedMessage.as('closed')).executeTakeFirst();

/** Returns the newest unpaid order whose checkout secret has this hash. */
export const findUnpaidOrderAndClosed = (db: Database, checkoutHash: Buffer) =>
  db
    .selectFrom('orders')
    .select([...orderColumns, closedMessage.as('closed')])
    .where('checkout_hash', '=', checkoutHash)
    .where('sweep_at', 'is not', null)
    .where('state', '=', 'pending')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export const listHeldItems = (db: Database, orderId: string) => columnOf<string>(db)`
    SELECT items.id FROM items JOIN order_lines ON order_lines.id = order_line_id
    WHERE order_id = ${orderId} AND state = 'held' ORDER BY items.id`;

/**
 * Stores the id of a pending order's intent, unless one is stored. Returns the message to buyers while the shop is
 * closed; undefined when an intent was stored before, or the order was cancelled without it.
 */
export const storeIntent = (db: Database, id: string, intentId: string) =>
  firstRowOf<{ closed: string | null }>(db)`
    UPDATE orders SET payment_intent_id = ${intentId}
    WHERE id = ${id} AND payment_intent_id IS NULL AND state = 'pending'
    RETURNING ${closedMessage} AS closed`;

/**
 * Sets a pending order to `capturing` and pins its held items and counted units, in one statement under the lock of its
 * row. Changes nothing when the order is in another state, or when it does not hold all that it ordered (`complete` is
 * false). A line must hold an item for each unit, or its counted units, whose number a row rule guarantees. Returns the
 * state that the order was in. `sweep_at` stays, so that no index changes.
 */
export const pinHeldGoods = (db: Database, id: string) => rowOf<{ state: OrderState; complete: boolean }>(db)`
  WITH locked AS (SELECT id, state FROM orders WHERE id = ${id} FOR UPDATE),
  lines AS (
    SELECT order_lines.id, quantity, counted_state = 'held' AS counted
    FROM order_lines JOIN locked ON locked.id = order_id WHERE locked.state = 'pending'
  ),
  held AS (
    SELECT items.id FROM items JOIN lines ON order_line_id = lines.id WHERE items.state = 'held'
  ),
  checked AS (
    SELECT id, state, (SELECT count(*) FROM held)
      = (SELECT coalesce(sum(quantity) FILTER (WHERE counted IS NOT TRUE), 0) FROM lines) AS complete FROM locked
  ),
  pinned AS (
    UPDATE items SET state = 'allocated' FROM held, checked WHERE items.id = held.id AND complete
  ),
  pinned_counts AS (
    UPDATE order_lines SET counted_state = 'allocated' FROM lines, checked
    WHERE order_lines.id = lines.id AND counted AND complete
  ),
  marked AS (
    UPDATE orders SET state = 'capturing' FROM checked
    WHERE orders.id = checked.id AND checked.state = 'pending' AND complete
  )
  SELECT state, complete FROM checked`;

/**
 * Sells the goods pinned for a captured order and marks the order as fulfilled. Returns undefined, without effect, when
 * the order is not `capturing`. Returns `order` with the changed columns; no other column changes while an order is
 * being paid. The caller must make the items of the `copied` lines in the same transaction.
 */
export async function fulfilOrder(
  trx: Transaction,
  order: OrderRow,
  {
    userId,
    madeAccount,
    card,
    now,
  }: { userId: string | null; madeAccount: boolean; card: PaidCard | undefined; now: Date },
): Promise<{ order: OrderRow; copied: CopiedLine[] } | undefined> {
  const newOrder = sql`SELECT 'new-order' AS kind, id::text AS subject, id AS about_id, NULL::integer AS units FROM captured`;
  const written = await firstRowOf<
    Pick<OrderRow, 'state' | 'user_id' | 'made_account' | 'paid_at' | 'fulfilled_at' | 'sweep_at' | 'waiting_units'> & {
      copied: CopiedLine[] | null;
    }
  >(trx)`
    WITH captured AS (SELECT id FROM orders WHERE id = ${order.id} AND state = 'capturing' FOR UPDATE),
    lines AS (
      SELECT order_lines.id, product_id, position, quantity, delivery
      FROM order_lines JOIN captured ON order_id = captured.id
    ),
    sold AS (
      UPDATE items SET state = 'sold', delivered_at = ${now}
      FROM lines WHERE order_line_id = lines.id AND items.state = 'allocated'
    ),
    sold_counts AS (
      UPDATE order_lines SET counted_state = 'sold' FROM lines
      WHERE order_lines.id = lines.id AND counted_state = 'allocated'
    ),
    noticed AS (${insertingNotices(newOrder, now)})
    UPDATE orders SET state = 'fulfilled', user_id = coalesce(orders.user_id, ${userId}), made_account = ${madeAccount},
      paid_card = ${card ? JSON.stringify({ brand: card.brand, last4: card.last4 }) : null}, paid_at = ${now},
      fulfilled_at = ${now}, sweep_at = NULL,
      waiting_units = coalesce((SELECT sum(quantity) FROM lines WHERE delivery = 'manual'), 0)
    FROM captured WHERE orders.id = captured.id
    RETURNING state, user_id, made_account, paid_at, fulfilled_at, sweep_at, waiting_units, (
      SELECT json_agg(json_build_object('id', id, 'product_id', product_id, 'delivery', delivery, 'quantity', quantity)
        ORDER BY position)
      FROM lines WHERE delivery IN ('shared', 'file')) AS copied`;
  if (!written) return undefined;
  const { copied, ...changed } = written;
  return { order: { ...order, ...changed }, copied: copied ?? [] };
}

/** Returns the order of an event's intent; undefined when no order has it, or when the event was handled before. */
export const findOrderOfNewEvent = (db: Database, event: { id: string; paymentIntentId: string }) =>
  db
    .selectFrom('orders')
    .select(orderColumns)
    .where('payment_intent_id', '=', event.paymentIntentId)
    .where(sql<boolean>`NOT EXISTS (SELECT FROM webhook_events WHERE id = ${event.id})`)
    .executeTakeFirst();

export async function rememberFinishedEvent(db: Database, { id, type }: PaymentEvent, at: Date): Promise<void> {
  await sql`
    INSERT INTO webhook_events (id, type, finished_at) VALUES (${id}, ${type}, ${at})
    ON CONFLICT (id) DO NOTHING`.execute(db);
}

/** Lists the orders paid since then, for comparison with the provider's list. */
export function listPaidOrders(db: Database, paidSince: Date) {
  const orders = db.selectFrom('orders').select(['id', 'payment_intent_id']);
  return orders.where('paid_at', '>=', paidSince).execute();
}

/**
 * No visit is planned later than this: an order whose refunds only have to be followed is due an hour later. An unfinished
 * order is due within a minute.
 */
const LATEST_VISIT_MS = 2 * HOUR_MS;

/**
 * Leases up to `limit` due orders, the longest waiting first, by setting `sweep_at` to their next visit, which is at
 * the latest the end of the hold. Until then other processes leave the order alone while this one calls the provider.
 * Nothing releases a lease: if this process dies, the order becomes due again. An order is due, too, if its visit was
 * planned while the clock was ahead. Skips an order that another transaction is changing, but not one that a transaction
 * only refers to, e.g. by a new receipt.
 */
export function leaseOrdersToSweep(db: Database, now: Date, limit: number) {
  const isDue = sql<boolean>`(sweep_at <= ${now} OR sweep_at > ${new Date(now.getTime() + LATEST_VISIT_MS)}
    OR sweep_at > ${latestPast(now)} AND state IN ('pending', 'capturing'))`;
  const due = db.selectFrom('orders').select('id').where(isDue).orderBy('sweep_at').limit(limit);
  const endOfHold = sql`CASE WHEN hold_expires_at > ${now} THEN hold_expires_at END`;
  const nextVisit = sql<Date>`least(${nextSweep(now)}::timestamptz, ${endOfHold})`;
  const leased = db
    .updateTable('orders')
    .set({ sweep_at: nextVisit })
    .where('id', 'in', due.forNoKeyUpdate().skipLocked());
  return leased.returning(['id', 'state', 'hold_expires_at', 'created_at']).execute();
}

/**
 * Makes an order with a failed refund due: the provider may have refused it because of a dispute, which may be over now.
 * No effect on other orders.
 */
export const sweepFailedRefunds = (db: Database, id: string, now: Date) =>
  sql`
    UPDATE orders SET sweep_at = ${now}
    WHERE id = ${id} AND EXISTS (SELECT FROM refunds WHERE order_id = orders.id AND state = 'failed')`.execute(db);
