import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Receipt } from '../../../shared/receipts.ts';
import type { Deps } from '../../deps.ts';
import type { ReceiptRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import { findOrder } from '../orders/orders.queries.ts';
import { listReceipts } from './receipts.queries.ts';

/** Returns the receipts of an order to its buyer or to an administrator. Throws NOT_FOUND. */
export async function readReceipts(
  { db }: Pick<Deps, 'db'>,
  { orderId, viewer }: { orderId: string; viewer: Viewer },
): Promise<Receipt[]> {
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
