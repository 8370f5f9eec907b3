import { sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Receipt } from '../../../shared/order-page.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import { adjustmentsOf, toDollars } from '../../../shared/pricing.ts';
import type { Config } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { type Database, fieldOf, firstFieldOf, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { ReceiptContent } from '../../platform/database/order-tables.ts';
import type { ReceiptRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import type { readAdminOrders } from '../orders/admin-orders.queries.ts';
import { cardOf } from '../orders/order-status.ts';
import { addressOfOrder, findOrder, totalsOfOrder } from '../orders/orders.queries.ts';
import { isRest, type OrderRefund, refundedUnitsOf, sumOf } from '../orders/refunds.queries.ts';

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

/**
 * Lists refunds that are done and have no credit note, of orders with a receipt, by the time when they were done. Leaves
 * out the part of a refund whose credit note is of both.
 */
export async function listRefundsWithoutNote(db: Database, limit: number): Promise<Unnumbered[]> {
  const until = await readUntil(db, 'refunds_until');
  return rowsOf<Unnumbered>(db)`
    SELECT order_id, refunds.id AS refund_id, payment_intent_id AS intent_id, NULL AS card, finished_at AS at
    FROM refunds JOIN orders ON orders.id = order_id
    WHERE refunds.state = 'done' AND finished_at >= ${until}::timestamptz AND split_from IS NULL
      AND EXISTS ${receiptOfOrder} AND NOT EXISTS ${noteOfRefund}
    ORDER BY finished_at, refunds.id LIMIT ${limit}`;
}

/** Locks the series and returns its last number; undefined while another process is numbering. */
export const lockSeries = (trx: Transaction) =>
  firstFieldOf<number>(trx)`SELECT last_number FROM receipt_series FOR UPDATE SKIP LOCKED`;

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

/** Stores the last number, and the dates up to which all is numbered: up to `firstLeft`, never in the last hour. */
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

export type ReceiptOrder = Awaited<ReturnType<typeof readAdminOrders>>[number];

const partiesOf = ({ seller }: Config, order: ReceiptOrder) => ({
  seller,
  buyer: {
    name: order.guest_name || (order.user_name ?? ''),
    email: order.contact_email,
    address: addressOfOrder(order),
  },
  orderedAt: order.created_at.toISOString(),
  paidAt: (order.paid_at ?? order.created_at).toISOString(),
});

export const receiptOf = (config: Config, order: ReceiptOrder, card: PaidCard | null): ReceiptContent => ({
  kind: 'receipt',
  ...partiesOf(config, order),
  lines: order.lines.map(({ name, quantity, unit_price_cents }) => ({ name, quantity, unitCents: unit_price_cents })),
  adjustments: adjustmentsOf(totalsOfOrder(order)),
  totalCents: order.total_cents,
  card,
  corrects: null,
  message: '',
});

/** A credit note of a refund: its units at their price and its share of the tax; for the rest also the shipping. */
export function creditNoteOf(
  config: Config,
  order: ReceiptOrder,
  { refund, corrects }: { refund: OrderRefund; corrects: number },
): ReceiptContent {
  return {
    kind: 'credit-note',
    ...partiesOf(config, order),
    ...creditedParts(order, refund),
    totalCents: refund.cents,
    card: cardOf(refund),
    isByHand: refund.settled_note !== null,
    corrects,
    message: refund.message,
  };
}

function creditedParts(order: ReceiptOrder, refund: OrderRefund): Pick<ReceiptContent, 'lines' | 'adjustments'> {
  const { cents } = refund;
  const ofUnits = order.refunds.filter(({ units }) => units.length > 0);
  if (!isRest(refund)) {
    const lines = returnedLines(order, refundedUnitsOf([refund]));
    if (lines.length === 0) return { lines, adjustments: [{ label: 'Part of the price, tax included', cents }] };
    return { lines, adjustments: adjustmentsOf({ ...NOTHING, taxCents: cents - sumOfLines(lines) }) };
  }
  const returned = refundedUnitsOf(ofUnits);
  const lines = returnedLines(
    order,
    new Map(order.lines.map(({ id, quantity }) => [id, quantity - (returned.get(id) ?? 0)])),
  );
  const taxCents = order.tax_cents - (sumOf(ofUnits) - sumOfLines(returnedLines(order, returned)));
  const adjustments = adjustmentsOf({ ...NOTHING, shippingCents: order.shipping_cents, taxCents });
  const before = cents - sumOfLines(lines) - order.shipping_cents - taxCents;
  return {
    lines,
    adjustments: before === 0 ? adjustments : [...adjustments, { label: 'Given back before', cents: before }],
  };
}

const NOTHING = { itemsCents: 0, taxCents: 0, shippingCents: 0, totalCents: 0 };

const returnedLines = ({ lines }: ReceiptOrder, units: ReadonlyMap<string, number>) =>
  lines.flatMap(({ id, name, unit_price_cents: unitCents }) => {
    const quantity = units.get(id) ?? 0;
    return quantity > 0 ? [{ name, quantity, unitCents }] : [];
  });

const sumOfLines = (lines: ReceiptContent['lines']): number =>
  lines.reduce((sum, { quantity, unitCents }) => sum + quantity * unitCents, 0);

/** Returns the receipts of an order to its buyer or to an administrator. Throws NOT_FOUND. */
export async function readReceipts({ db }: Pick<Deps, 'db'>, { orderId, viewer }: { orderId: string; viewer: Viewer }) {
  const order = await findOrder(db, orderId);
  const mayRead = order && (order.user_id === viewer.userId || viewer.role === 'admin');
  if (!mayRead) throw new AppError('NOT_FOUND', 'Order not found');
  return (await listReceipts(db, orderId)).map(presentReceipt);
}

export function presentReceipt({ number, order_id: order, issued_at: issuedAt, content }: ReceiptRow): Receipt {
  const { kind, seller, buyer, orderedAt, paidAt, lines, adjustments, totalCents, card, corrects, message } = content;
  const { isByHand = false } = content;
  return {
    number,
    kind,
    issuedAt: issuedAt.toISOString(),
    total: toDollars(totalCents),
    seller,
    buyer,
    order,
    orderedAt,
    paidAt,
    lines: lines.map(({ name, quantity, unitCents }) => ({ name, quantity, price: toDollars(unitCents) })),
    adjustments: adjustments.map(({ label, cents }) => ({ label, amount: toDollars(cents) })),
    card,
    isByHand,
    corrects,
    message,
  };
}
