import type { PaidCard, Refund } from './orders.ts';

/** An order's number as people read it: the last 8 characters, upper case. */
export const orderNumber = (orderId: string): string => orderId.slice(-8).toUpperCase();

/** Shown wherever a step leads to the items: the shop's own rule, which content/refunds.md explains. */
export const OPENING_ENDS_RETURN = 'Opening the items ends the right of return.';

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
export const cardName = (paid: PaidCard | null): string =>
  paid ? `${brands.get(paid.brand) ?? 'Card'} •••• ${paid.last4}` : 'the card that paid';

/** `1 × Neon Apex Rally, 2 × Steam Key`; empty for all that was left. */
export const returnedItems = ({ items }: Pick<Refund, 'items'>): string =>
  items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ');
