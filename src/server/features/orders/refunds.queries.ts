import { type Insertable, sql } from 'kysely';
import type { PaidCard } from '../../../shared/orders.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow, RefundRow, Tables } from '../../platform/database/tables.ts';

export interface RefundUnits {
  order_line_id: string;
  quantity: number;
}

/** A refund with its units, and the administrator who gave it. Without units it refunds an amount or all that was left. */
export type OrderRefund = RefundRow & { actor: string | null; units: RefundUnits[] };

/** Whether it refunds all that was left of its order. */
export const isRest = ({ units, is_amount }: OrderRefund): boolean => units.length === 0 && !is_amount;

/** Of these orders, oldest first. */
export async function listRefunds(db: Database, orderIds: readonly string[]): Promise<OrderRefund[]> {
  const { rows } = await sql<OrderRefund>`
    SELECT refunds.*, users.email AS actor,
      (SELECT coalesce(json_agg(refund_lines), '[]') FROM refund_lines WHERE refund_id = refunds.id) AS units
    FROM refunds LEFT JOIN users ON users.id = refunds.user_id
    WHERE order_id = ANY (${orderIds}::uuid[])
    ORDER BY refunds.created_at, refunds.id`.execute(db);
  return rows;
}

/**
 * The orders with their refunds. The database is asked only about orders that can have a refund: part of their money is
 * refunded, or the sweeper follows them. So paying an order, and listing delivered ones, takes no further query.
 */
export async function withRefunds<T extends OrderRow>(db: Database, orders: readonly T[]) {
  const mayHave = orders.filter((order) => order.refunded_cents > 0 || order.sweep_at !== null);
  const ids = mayHave.map(({ id }) => id);
  const refunds = ids.length === 0 ? [] : await listRefunds(db, ids);
  return orders.map((order) => ({ ...order, refunds: refunds.filter((refund) => refund.order_id === order.id) }));
}

/** The units of each line that are refunded, or being refunded. */
export function refundedUnitsOf(refunds: readonly OrderRefund[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { order_line_id: line, quantity } of refunds.flatMap((refund) => refund.units)) {
    units.set(line, quantity + (units.get(line) ?? 0));
  }
  return units;
}

/** In cents: refunded, or being refunded. */
export const sumOf = (refunds: readonly { cents: number }[]): number =>
  refunds.reduce((sum, { cents }) => sum + cents, 0);

/** False, without effect, when another refund has this id. */
export async function insertRefund(trx: Transaction, refund: Insertable<Tables['refunds']>, units: RefundUnits[]) {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('refunds')
    .values(refund)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  const lines = units.map((unit) => ({ ...unit, refund_id: refund.id }));
  if (lines.length > 0) await trx.insertInto('refund_lines').values(lines).execute();
  return true;
}

/**
 * Records that the provider refused a refund of a locked order; the provider is asked again at `retryAt`, or earlier
 * together with a refund that was begun meanwhile and not refused. False when the refusal does not matter: the refund is
 * done meanwhile, or a refund of all that is left includes it.
 */
export async function markRefundFailed(trx: Transaction, refund: OrderRefund, retryAt: Date): Promise<boolean> {
  const isIncluded = isRest(refund)
    ? sql`false`
    : sql`EXISTS (
        SELECT FROM refunds AS rest WHERE rest.order_id = ${refund.order_id} AND NOT rest.is_amount
          AND NOT EXISTS (SELECT FROM refund_lines WHERE refund_id = rest.id))`;
  const { numAffectedRows } = await sql`
    WITH failed AS (
      UPDATE refunds SET state = 'failed' WHERE id = ${refund.id} AND state <> 'done' AND NOT ${isIncluded} RETURNING id
    )
    UPDATE orders SET sweep_at = CASE WHEN EXISTS (
        SELECT FROM refunds WHERE order_id = orders.id AND refunds.id <> ${refund.id} AND refunds.state = 'pending')
      THEN sweep_at ELSE ${retryAt}::timestamptz END
    FROM failed WHERE orders.id = ${refund.order_id}`.execute(trx);
  return numAffectedRows === 1n;
}

/**
 * Marks a refund as done, and with the rest of an order all its other refunds; `card` is where the money went, as far as
 * the provider says. False when another call was first.
 */
export async function markRefundDone(
  trx: Transaction,
  refund: OrderRefund,
  { card, now }: { card: PaidCard | undefined; now: Date },
): Promise<boolean> {
  const done = await trx
    .updateTable('refunds')
    .set({ state: 'done', finished_at: now, card_brand: card?.brand ?? null, card_last4: card?.last4 ?? null })
    .where('state', '<>', 'done')
    .where((eb) => (isRest(refund) ? eb('order_id', '=', refund.order_id) : eb('id', '=', refund.id)))
    .returning('id')
    .execute();
  return done.some(({ id }) => id === refund.id);
}

/**
 * Adds a finished refund to its locked order, which ends when that was all of its money. After a refund of units or of an
 * amount the sweeper need not come again unless another refund is unfinished.
 */
export async function addRefundedCents(trx: Transaction, refund: OrderRefund, now: Date): Promise<void> {
  const { order_id: orderId, cents } = refund;
  if (isRest(refund)) {
    await sql`
      UPDATE orders SET state = 'refunded', refunded_at = ${now}, refunded_cents = total_cents, sweep_at = NULL
      WHERE id = ${orderId}`.execute(trx);
    return;
  }
  await sql`
    UPDATE orders SET refunded_cents = refunded_cents + ${cents},
      sweep_at = CASE WHEN EXISTS (SELECT FROM refunds WHERE order_id = orders.id AND refunds.state <> 'done')
        THEN sweep_at END
    WHERE id = ${orderId}`.execute(trx);
}
