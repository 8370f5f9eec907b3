import { AppError } from '../../../shared/errors.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import { adjustmentsOf, toDollars } from '../../../shared/pricing.ts';
import type { Receipt } from '../../../shared/receipts.ts';
import type { Config } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import type { ReceiptContent } from '../../platform/database/order-tables.ts';
import type { ReceiptRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import type { readAdminOrders } from '../orders/admin-orders.queries.ts';
import { addressOfOrder, findOrder, totalsOfOrder } from '../orders/orders.queries.ts';
import { cardOf } from '../orders/present-order.ts';
import { isRest, type OrderRefund, refundedUnitsOf, sumOf } from '../orders/refunds.queries.ts';
import { listReceipts } from './receipts.queries.ts';

type ReceiptOrder = Awaited<ReturnType<typeof readAdminOrders>>[number];

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
