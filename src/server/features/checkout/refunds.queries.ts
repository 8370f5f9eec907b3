import { type Insertable, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { RefundRow, Tables } from '../../platform/database/tables.ts';
import type { PaymentCard } from '../../platform/payments/payments.ts';

export interface RefundedLine {
  order_line_id: string;
  quantity: number;
}

/** With the units it is for; without any it is for all that is left of the order. */
/** False, without effect, where another refund has this id. */
export async function insertRefund(
  trx: Transaction,
  refund: Insertable<Tables['refunds']>,
  lines: RefundedLine[],
): Promise<boolean> {
  const inserted = await trx
    .insertInto('refunds')
    .values(refund)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return false;
  if (lines.length === 0) return true;
  await trx
    .insertInto('refund_lines')
    .values(lines.map((line) => ({ ...line, refund_id: refund.id })))
    .execute();
  return true;
}

export async function hasRefund(db: Database, orderId: string, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('refunds')
    .select('id')
    .where('id', '=', id)
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  return found !== undefined;
}

/** In cents: gone back, or on its way. */
export async function sumRefunds(db: Database, orderId: string): Promise<number> {
  const { rows } = await sql<{ cents: number }>`
    SELECT coalesce(sum(cents), 0)::integer AS cents FROM refunds WHERE order_id = ${orderId}`.execute(db);
  return rows[0]?.cents ?? 0;
}

export type RefundOfOrder = Pick<RefundRow, 'id' | 'order_id' | 'cents' | 'state'> & {
  payment_intent_id: string;
  /** All that is left, instead of units. */
  is_rest: boolean;
};

/** Oldest first. */
export async function listRefunds(db: Database, orderId: string): Promise<RefundOfOrder[]> {
  const { rows } = await sql<RefundOfOrder>`
    SELECT refunds.id, order_id, cents, refunds.state, payment_intent_id,
      NOT EXISTS (SELECT FROM refund_lines WHERE refund_id = refunds.id) AS is_rest
    FROM refunds JOIN orders ON orders.id = order_id
    WHERE order_id = ${orderId} AND payment_intent_id IS NOT NULL ORDER BY refunds.created_at, refunds.id`.execute(
    db,
  );
  return rows;
}

/**
 * Records that the provider refused a refund of a locked order; it is asked again at `retryAt`. False when nothing has
 * failed: the refund is done meanwhile, or a refund of all that is left includes it.
 */
export async function markRefundFailed(
  trx: Transaction,
  { id, order_id: orderId, is_rest: isRest, retryAt }: RefundOfOrder & { retryAt: Date },
): Promise<boolean> {
  const isIncluded = isRest
    ? sql`false`
    : sql`EXISTS (
        SELECT FROM refunds AS rest WHERE rest.order_id = ${orderId}
          AND NOT EXISTS (SELECT FROM refund_lines WHERE refund_id = rest.id))`;
  const { numAffectedRows } = await sql`
    WITH failed AS (
      UPDATE refunds SET state = 'failed' WHERE id = ${id} AND state <> 'done' AND NOT ${isIncluded} RETURNING id
    )
    UPDATE orders SET sweep_at = ${retryAt} FROM failed WHERE orders.id = ${orderId}`.execute(trx);
  return numAffectedRows === 1n;
}

interface RefundEnd {
  /** Where the money went, as far as the provider tells. */
  card: PaymentCard | undefined;
  now: Date;
}

const doneColumns = ({ card, now }: RefundEnd) => ({
  state: 'done' as const,
  finished_at: now,
  card_brand: card?.brand ?? null,
  card_last4: card?.last4 ?? null,
});

/** False when somebody was first. */
export async function markRefundDone(
  trx: Transaction,
  { id, ...end }: RefundEnd & { id: string },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('refunds')
    .set(doneColumns(end))
    .where('id', '=', id)
    .where('state', '<>', 'done')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function markAllRefundsDone(
  trx: Transaction,
  { orderId, ...end }: RefundEnd & { orderId: string },
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set(doneColumns(end))
    .where('order_id', '=', orderId)
    .where('state', '<>', 'done')
    .execute();
}

/** A part went back; the sweeper need not come again unless another one is on its way. */
export async function addRefunded(
  trx: Transaction,
  { orderId, cents }: { orderId: string; cents: number },
): Promise<void> {
  await sql`
    UPDATE orders SET refunded_cents = refunded_cents + ${cents},
      sweep_at = CASE WHEN EXISTS (SELECT FROM refunds WHERE order_id = orders.id AND refunds.state <> 'done')
        THEN sweep_at END
    WHERE id = ${orderId}`.execute(trx);
}
