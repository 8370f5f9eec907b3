import { cardName, returnedItems } from '../../../shared/order-words.ts';
import type { OrderEvent } from '../../../shared/admin-orders.ts';
import { formatPrice } from '../../../shared/currency.ts';
import type { OrderRefund } from '../orders/order-refunds.queries.ts';
import type { CancelReason } from '../orders/orders.queries.ts';
import { cardOf, presentRefund } from '../orders/present-refunds.ts';
import type { DeskOrder } from './order-list.queries.ts';
import type { DeskDeed, DeskMail, DeskReveal } from './order-page.queries.ts';

export interface OrderRecords {
  order: DeskOrder;
  mails: readonly DeskMail[];
  reveals: readonly DeskReveal[];
  deeds: readonly DeskDeed[];
}

/** All that happened to an order, oldest first, in words. */
export function orderTimeline({ order, mails, reveals, deeds }: OrderRecords): OrderEvent[] {
  const by = (action: string) => {
    const deed = deeds.findLast((candidate) => candidate.action === action);
    return deed ? ` by ${deed.actor}` : '';
  };
  const buyer = order.guest_name || order.user_name || order.contact_email;
  const digital = order.type === 'digital';
  return [
    ...event(order.created_at, 'created', `Ordered by ${buyer}${order.guest ? ' as a guest' : ''}`),
    ...event(order.paid_at, 'paid', `Paid ${formatPrice(order.total_cents)} by card`),
    ...(digital ? event(order.fulfilled_at, 'delivered', 'Keys delivered') : []),
    ...event(order.shipped_at, 'shipped', `Shipped${parcelOf(order)}${by('order.shipped')}`),
    ...event(order.delivered_at, 'delivered', `Delivered${by('order.delivered')}`),
    ...event(
      order.cancelled_at,
      'cancelled',
      `Cancelled${order.cancel_reason ? cancelReasons[order.cancel_reason] : ''}${by('order.cancelled')}`,
    ),
    ...event(order.disputed_at, 'disputed', 'The cardholder disputes the payment; the keys were withdrawn'),
    ...reveals.flatMap(revealed),
    ...order.refunds.flatMap((refund) => refunded(refund, order.lines)),
    ...mails.flatMap(mailed),
    ...deeds
      .filter(({ action }) => action === 'order.item-replaced')
      .flatMap(({ at, actor, summary }) => event(at, 'replaced', `${summary} (by ${actor})`)),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const event = (at: Date | null, kind: OrderEvent['kind'], text: string): OrderEvent[] =>
  at ? [{ at: at.toISOString(), kind, text }] : [];

const parcelOf = ({ carrier, tracking_number: number }: DeskOrder) =>
  carrier ? ` with ${carrier}, tracking number ${number}` : '';

const cancelReasons: Record<CancelReason, string> = {
  abandoned: ': it was not paid in time',
  replaced: ': the buyer changed the cart',
  'payment-failed': ': the payment failed',
  'by-admin': '',
};

function revealed({ first_at: at, times, reason, name }: DeskReveal): OrderEvent[] {
  if (reason !== null) return event(at, 'revealed-to-admin', `An item was read by ${name}: ${reason}`);
  return event(
    at,
    'revealed',
    `Seen by the buyer${times > 1 ? ` for the first time, ${times} times in all` : ''}`,
  );
}

function refunded(refund: OrderRefund, lines: DeskOrder['lines']): OrderEvent[] {
  const { cents, reason, actor, created_at: begun, finished_at: done } = refund;
  const amount = formatPrice(cents);
  const items = returnedItems(presentRefund(refund, lines));
  return [
    ...event(begun, 'refund-started', `Refund of ${amount} begun${actor ? ` by ${actor}` : ''}: ${reason}`),
    ...event(
      done,
      'refunded',
      `${amount} given back to ${cardName(cardOf(refund))}${items && ` for ${items}`}`,
    ),
  ];
}

const mailWords = new Map([
  ['order-delivered', 'Your order is ready'],
  ['order-refunded', 'Your order has been refunded'],
  ['order-refunded-in-part', 'A part of your order has been refunded'],
  ['order-shipped', 'Your order is on its way'],
  ['item-replaced', 'Your replacement is ready'],
  ['order-lookup', 'Your code to see your order'],
]);

const mailed = ({ kind, recipient, created_at: written, sent_at: sent }: DeskMail): OrderEvent[] =>
  event(
    sent ?? written,
    'mail',
    `Mail “${mailWords.get(kind) ?? kind}” ${sent ? 'sent' : 'waits to be sent'} to ${recipient}`,
  );
