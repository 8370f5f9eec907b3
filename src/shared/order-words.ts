import type { Card, Order, OrderStatus, Refund } from './orders.ts';
import { type Totals, toCents } from './pricing.ts';

/** An order's number as people read it: the last 8 characters, upper case. */
export function orderNumber(orderId: string): string {
  return orderId.slice(-8).toUpperCase();
}

/** Said wherever a step leads to the items: the shop's own rule, which content/refunds.md explains. */
export const OPENING_ENDS_RETURN = 'Opening the items ends the right of return.';

/** What an administrator may turn an order into. Giving money back after delivery is a refund, not a status. */
const transitions: Record<Order['orderType'], Record<OrderStatus, readonly OrderStatus[]>> = {
  // Keys are delivered by the payment itself.
  digital: { Processing: ['Cancelled'], Shipped: [], Delivered: [], Cancelled: [] },
  physical: { Processing: ['Shipped', 'Cancelled'], Shipped: ['Delivered'], Delivered: [], Cancelled: [] },
};

export const allowedTransitions = (order: Pick<Order, 'orderType' | 'status'>): readonly OrderStatus[] =>
  transitions[order.orderType][order.status];

/** The amounts of an order in cents of USD. */
export const totalsInCents = (
  order: Pick<Order, 'itemsPrice' | 'taxPrice' | 'shippingPrice' | 'totalPrice'>,
): Totals => ({
  itemsCents: toCents(order.itemsPrice),
  taxCents: toCents(order.taxPrice),
  shippingCents: toCents(order.shippingPrice),
  totalCents: toCents(order.totalPrice),
});

const brands = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
  ['diners', 'Diners Club'],
  ['jcb', 'JCB'],
  ['unionpay', 'UnionPay'],
]);

/** `Visa •••• 4242`. */
export const cardName = (paid: Card | null): string =>
  paid ? `${brands.get(paid.brand) ?? 'Card'} •••• ${paid.last4}` : 'the card that paid';

/** `1 × Neon Apex Rally, 2 × Steam Key`; empty for all that was left. */
export const returnedItems = ({ items }: Pick<Refund, 'items'>): string =>
  items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ');
