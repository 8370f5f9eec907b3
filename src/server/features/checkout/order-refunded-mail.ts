import { formatPrice } from '../../../shared/currency.ts';
import { formatShopMoment } from '../../../shared/dates.ts';
import { orderNumber } from '../../../shared/order-number.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import { orderReceipt } from './order-receipt.ts';

const ITS_WAY =
  'The money goes back to the card you paid with. Depending on your bank this takes 5 to 10 days.';

export function orderRefundedMail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  publicUrl: string,
): MailContent {
  return {
    subject: `Your order ${orderNumber(order.id)} has been refunded`,
    heading: 'Your order has been refunded',
    paragraphs: [`We have refunded ${named(order)} in full.`, ITS_WAY],
    receipt: orderReceipt(order, lines),
    action: toOrders(publicUrl),
  };
}

/** Of some of its units. It tells all that went back so far, so that several such mails do not contradict each other. */
export function orderRefundedInPartMail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  publicUrl: string,
): MailContent {
  const receipt = orderReceipt(order, lines);
  return {
    subject: `A part of your order ${orderNumber(order.id)} has been refunded`,
    heading: 'A part of your order has been refunded',
    paragraphs: [
      `We have refunded a part of ${named(order)}: ${formatPrice(order.refunded_cents)} so far.`,
      ITS_WAY,
      'The rest of your order stays yours.',
    ],
    receipt: [...receipt, { label: 'Refunded (USD)', amount: formatPrice(-order.refunded_cents) }],
    action: toOrders(publicUrl),
  };
}

const named = (order: OrderRow) =>
  `your order ${orderNumber(order.id)} of ${formatShopMoment(order.created_at)}`;

const toOrders = (publicUrl: string): NonNullable<MailContent['action']> => ({
  label: 'View your orders',
  url: `${publicUrl}/orders`,
  note: 'We are sorry that it did not work out.',
});
