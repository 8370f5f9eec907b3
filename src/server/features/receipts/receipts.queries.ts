import { sql } from 'kysely';
import type { PaidCard } from '../../../shared/orders.ts';
import { type Database, firstRowOf, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import { fieldOf } from '../../platform/database/statements.ts';
import type { ReceiptRow } from '../../platform/database/tables.ts';

/** An order that waits for its receipt, or with `refund_id` a refund that waits for its credit note. */
export interface Unnumbered {
  order_id: string;
  refund_id: string | null;
  intent_id: string | null;
  /** Null if the provider did not name the card when the order was settled. */
  card: PaidCard | null;
  /** When the order was paid, or the refund was done. */
  at: Date;
}

// Far longer than any transaction that settles or refunds an order, so that its rows are visible by then.
const SETTLED_AFTER = sql`interval '1 hour'`;

// OFFSET 0 makes PostgreSQL look up one order in the index at a time. A join would read all receipts, at every run.
const receiptOfOrder = sql`(SELECT FROM receipts WHERE receipts.order_id = orders.id AND refund_id IS NULL OFFSET 0)`;
const noteOfRefund = sql`(SELECT FROM receipts WHERE receipts.refund_id = refunds.id OFFSET 0)`;

/** Reads up to when all is numbered. A subquery instead would be planned as if a third of all orders were later. */
const readUntil = (db: Database, column: 'orders_until' | 'refunds_until') => fieldOf<string>(db)`
  SELECT ${sql.ref(column)}::text FROM receipt_series`;

/** Lists paid orders without a receipt, by the time of payment. Each kind is read in that sequence by its part of the index. */
export async function listOrdersWithoutReceipt(db: Database, limit: number): Promise<Unnumbered[]> {
  const until = await readUntil(db, 'orders_until');
  return rowsOf<Unnumbered>(db)`
    SELECT due.* FROM (VALUES ('digital'), ('physical')) AS types (name), LATERAL (
      SELECT id AS order_id, NULL AS refund_id, payment_intent_id AS intent_id, paid_card AS card, paid_at AS at FROM orders
      WHERE type = types.name AND paid_at >= ${until}::timestamptz AND NOT EXISTS ${receiptOfOrder}
      ORDER BY paid_at, id LIMIT ${limit}
    ) AS due ORDER BY at, order_id LIMIT ${limit}`;
}

/** Lists refunds that are done and have no credit note, of orders with a receipt, by the time when they were done. */
export async function listRefundsWithoutNote(db: Database, limit: number): Promise<Unnumbered[]> {
  const until = await readUntil(db, 'refunds_until');
  return rowsOf<Unnumbered>(db)`
    SELECT order_id, refunds.id AS refund_id, payment_intent_id AS intent_id, NULL AS card, finished_at AS at
    FROM refunds JOIN orders ON orders.id = order_id
    WHERE refunds.state = 'done' AND finished_at >= ${until}::timestamptz AND EXISTS ${receiptOfOrder} AND NOT EXISTS ${noteOfRefund}
    ORDER BY finished_at, refunds.id LIMIT ${limit}`;
}

/** Locks the series and returns its last number; undefined while another process is numbering. */
export async function lockSeries(trx: Transaction): Promise<number | undefined> {
  const row = await firstRowOf<{ last_number: number }>(trx)`
    SELECT last_number FROM receipt_series FOR UPDATE SKIP LOCKED`;
  return row?.last_number;
}

export const insertReceipts = (trx: Transaction, receipts: readonly ReceiptRow[]) =>
  trx
    .insertInto('receipts')
    .values(receipts.map(({ content, ...row }) => ({ ...row, content: JSON.stringify(content) })))
    .execute();

export async function readNumbers(trx: Transaction, orderIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await rowsOf<{ order_id: string; number: number }>(trx)`
    SELECT order_id, number FROM receipts WHERE refund_id IS NULL AND order_id = ANY (${orderIds}::uuid[])`;
  return new Map(rows.map(({ order_id: id, number }) => [id, number]));
}

/**
 * Stores the last number, and the dates up to which everything is numbered: at most `firstLeft`, and never within the
 * last hour.
 */
export async function advanceSeries(
  trx: Transaction,
  { last, now, firstLeft }: { last: number; now: Date; firstLeft: Record<'order' | 'refund', Date | undefined> },
): Promise<void> {
  const settled = sql`(${now}::timestamptz - ${SETTLED_AFTER})`;
  const until = (first: Date | undefined) => (first ? sql`least(${first}::timestamptz, ${settled})` : settled);
  // A later date is from a clock that was ahead: what was paid since it was set right would never be numbered.
  const known = (column: 'orders_until' | 'refunds_until') => sql`least(${sql.ref(column)}, ${settled})`;
  await sql`
    UPDATE receipt_series SET last_number = ${last},
      orders_until = greatest(${known('orders_until')}, ${until(firstLeft.order)}),
      refunds_until = greatest(${known('refunds_until')}, ${until(firstLeft.refund)})
    WHERE last_number <> ${last} OR orders_until < ${settled} - ${SETTLED_AFTER} OR orders_until > ${settled}`.execute(
    trx,
  );
}

export const listReceipts = (db: Database, orderId: string) => rowsOf<ReceiptRow>(db)`
  SELECT * FROM receipts WHERE order_id = ${orderId} ORDER BY number`;
