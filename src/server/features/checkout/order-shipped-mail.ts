import { orderNumber } from '../../../shared/order-words.ts';
import { formatShopMoment } from '../../../shared/format.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import { orderReceipt } from './order-receipt.ts';

export function orderShippedMail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  publicUrl: string,
): MailContent {
  const number = orderNumber(order.id);
  return {
    subject: `Your order ${number} is on its way`,
    heading: 'Your order is on its way',
    paragraphs: [
      `We have shipped your order ${number} of ${formatShopMoment(order.created_at)}.`,
      `It travels with ${order.carrier ?? 'our carrier'}, tracking number ${order.tracking_number ?? 'unknown'}.`,
    ],
    receipt: orderReceipt(order, lines),
    action: {
      label: 'View your orders',
      url: `${publicUrl}/orders`,
      note: 'There you see when it has arrived.',
    },
  };
}
