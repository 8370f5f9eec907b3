import type { Refund } from '../../../shared/orders.ts';
import { orderNumber, cardName, returnedItems } from '../../../shared/order-words.ts';
import { formatShopMoment } from '../../../shared/format.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import { orderReceipt } from './order-receipt.ts';

export interface RefundedOrder {
  order: OrderRow;
  lines: readonly OrderLineRow[];
  refunds: readonly Refund[];
}

const ITS_WAY = 'Depending on your bank it takes 5 to 10 days until you see the money on your card.';

export function orderRefundedMail({ order, lines, refunds }: RefundedOrder, publicUrl: string): MailContent {
  return {
    subject: `Your order ${orderNumber(order.id)} has been refunded`,
    heading: 'Your order has been refunded',
    paragraphs: [
      `We have refunded ${named(order)} in full.`,
      ...refunds.filter(isDone).map(inWords),
      ITS_WAY,
      ...(order.type === 'digital' ? ['The items of this order are no longer shown on its page.'] : []),
    ],
    receipt: orderReceipt(order, lines),
    action: toOrders(publicUrl),
  };
}

/** Of some of its units. It tells all that went back so far, so that several such mails do not contradict each other. */
export function orderRefundedInPartMail(
  { order, lines, refunds }: RefundedOrder,
  publicUrl: string,
): MailContent {
  const receipt = orderReceipt(order, lines);
  return {
    subject: `A part of your order ${orderNumber(order.id)} has been refunded`,
    heading: 'A part of your order has been refunded',
    paragraphs: [
      `We have refunded a part of ${named(order)}: ${formatPrice(order.refunded_cents)} so far.`,
      ...refunds.filter(isDone).map(inWords),
      ITS_WAY,
      'The rest of your order stays yours.',
    ],
    receipt: [...receipt, { label: 'Refunded (USD)', amount: formatPrice(-order.refunded_cents) }],
    action: toOrders(publicUrl),
  };
}

const isDone = ({ state }: Refund) => state === 'done';

function inWords(refund: Refund): string {
  const items = returnedItems(refund);
  const amount = formatPrice(toCents(refund.amount));
  return `${amount}${items && ` for ${items}`} went back to ${cardName(refund.card)} on ${formatShopMoment(refund.at)}.`;
}

const named = (order: OrderRow) =>
  `your order ${orderNumber(order.id)} of ${formatShopMoment(order.created_at)}`;

const toOrders = (publicUrl: string): NonNullable<MailContent['action']> => ({
  label: 'View your orders',
  url: `${publicUrl}/orders`,
  note: 'We are sorry that it did not work out.',
});
