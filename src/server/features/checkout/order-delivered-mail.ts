import { formatShopMoment } from '../../../shared/dates.ts';
import { orderNumber } from '../../../shared/order-number.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import { orderReceipt } from './order-receipt.ts';

/** Where the buyer finds the goods: the order's page after signing in, or the link that gives them their account. */
export type DoorToItems = { kind: 'order-page'; url: string } | { kind: 'claim-link'; url: string };

/** "Your order is ready", with what was bought and where to find it; the goods themselves never travel by mail. */
export function orderDeliveredMail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  door: DoorToItems,
): MailContent {
  const number = orderNumber(order.id);
  return {
    subject: `Your order ${number} is ready`,
    heading: 'Your order is ready',
    paragraphs: [
      `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}. It is paid and delivered.`,
      'For your safety the items themselves are not in this mail. You find them on your order page.',
    ],
    receipt: orderReceipt(order, lines),
    action: { url: door.url, ...actions[door.kind] },
  };
}

/** After a faulty item was replaced; which one it is, the page says. */
export function itemReplacedMail(order: OrderRow, door: DoorToItems): MailContent {
  const number = orderNumber(order.id);
  return {
    subject: `The replacement for your order ${number} is ready`,
    heading: 'Your replacement is ready',
    paragraphs: [
      `We have replaced a faulty item of your order ${number} of ${formatShopMoment(order.created_at)}.`,
      'For your safety the new one is not in this mail. You find it on your order page, in the place of the faulty one.',
    ],
    action: { url: door.url, ...actions[door.kind] },
  };
}

const actions: Record<DoorToItems['kind'], { label: string; note: string }> = {
  'order-page': {
    label: 'View your items',
    note: 'You are asked to sign in, so that nobody else can see them.',
  },
  'claim-link': {
    label: 'Choose a password and view your items',
    note:
      'The link opens the account of this e-mail address. It works once, within 7 days. ' +
      'If you have chosen a password while paying, you can simply sign in instead. ' +
      'Do not pass this mail on: whoever has the link has your items.',
  },
};
