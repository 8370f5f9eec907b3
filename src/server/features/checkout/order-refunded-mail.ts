import { orderNumber } from '../../../shared/order-number.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { formatMailDate, type MailContent } from '../mails/mail-layout.ts';
import { orderReceipt } from './order-receipt.ts';

export function orderRefundedMail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  publicUrl: string,
): MailContent {
  const number = orderNumber(order.id);
  return {
    subject: `Your order ${number} has been refunded`,
    heading: 'Your order has been refunded',
    paragraphs: [
      `We have refunded your order ${number} of ${formatMailDate(order.created_at)} in full.`,
      'The money goes back to the card you paid with. Depending on your bank this takes 5 to 10 days.',
    ],
    receipt: orderReceipt(order, lines),
    action: {
      label: 'View your orders',
      url: `${publicUrl}/orders`,
      note: 'We are sorry that it did not work out.',
    },
  };
}
