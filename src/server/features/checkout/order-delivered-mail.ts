import { orderNumber, OPENING_ENDS_RETURN } from '../../../shared/order-words.ts';
import { formatShopMoment } from '../../../shared/format.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import { orderReceipt } from './order-receipt.ts';

/**
 * Where the buyer finds the goods: the order's page after signing in, the link that gives a new account its password, or
 * the one that verifies the address that the order waits for.
 */
export type DoorToItems = { kind: 'order-page' | 'claim-link' | 'verify-link'; url: string };

/** What was bought and where to find it; the goods themselves never travel by mail. */
export function orderDeliveredMail(
  order: OrderRow,
  lines: readonly OrderLineRow[],
  door: DoorToItems,
): MailContent {
  const number = orderNumber(order.id);
  if (door.kind === 'verify-link') {
    return {
      subject: `Verify your e-mail to open your order ${number}`,
      heading: 'A paid order is waiting: verify your e-mail',
      paragraphs: [
        `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}. It is paid, and its items are yours.`,
        WAITS,
      ],
      receipt: orderReceipt(order, lines),
      action: { url: door.url, ...actions['verify-link'] },
    };
  }
  return {
    subject: `Your order ${number} is ready`,
    heading: 'Your order is ready',
    paragraphs: [
      `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}. It is paid and delivered.`,
      `For your safety the items themselves are not in this mail. You find them on your order page. ${OPENING_ENDS_RETURN}`,
    ],
    receipt: orderReceipt(order, lines),
    action: { url: door.url, ...actions[door.kind] },
  };
}

const WAITS =
  'This e-mail address already has an account here, but nobody has verified the address. So the order waits until you ' +
  'do: before that it is not in the account, also when you sign in.';

/** After a faulty item was replaced; which one it is, the page says. */
export function itemReplacedMail(order: OrderRow, door: DoorToItems): MailContent {
  const number = orderNumber(order.id);
  return {
    subject: `The replacement for your order ${number} is ready`,
    heading: 'Your replacement is ready',
    paragraphs: [
      `We have replaced a faulty item of your order ${number} of ${formatShopMoment(order.created_at)}.`,
      'For your safety the new one is not in this mail. You find it on your order page, in the place of the faulty one and marked as its replacement.',
      ...(door.kind === 'verify-link' ? [WAITS] : []),
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
  'verify-link': {
    label: 'Verify and open your order',
    note:
      'The link verifies this address and works once, within 7 days. You choose a new password, other devices are signed ' +
      'out, and the order is in your account. If you know the password of the account, you can keep it: sign in, choose ' +
      '"Send verification mail" under My Orders, and open the link of that mail instead. ' +
      'Do not pass this mail on: whoever has the link has your items.',
  },
};
