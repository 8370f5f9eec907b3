import type { PaidCard } from './orders.ts';

/** Returns the order number that people read: the last 8 characters of the id in upper case. */
export const orderNumber = (orderId: string): string => orderId.slice(-8).toUpperCase();

/** Shown wherever a step leads to the items. content/refunds.md explains this rule of the shop. */
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

/** Returns the name of a card, e.g. `Visa •••• 4242`. */
export const cardName = (paid: PaidCard | null): string =>
  paid ? `${brands.get(paid.brand) ?? 'Card'} •••• ${paid.last4}` : 'the card that paid';

/** Lists units of a parcel or of a refund, e.g. `1 × Neon Apex Rally, 2 × Steam Key`. */
export const unitsInWords = (items: readonly { name: string; quantity: number }[]): string =>
  items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ');
