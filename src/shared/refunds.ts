import * as z from 'zod/mini';
import { dollars, timestamp } from './text.ts';

/** The badge beside an order's status; null while no money goes back. */
export const refundStatus = z.nullable(z.enum(['Refund pending', 'Partly refunded', 'Refunded']));
export type RefundStatus = z.infer<typeof refundStatus>;

/** What a buyer recognises a card by, as the payment provider tells it. */
export const card = z.object({ brand: z.string(), last4: z.string() });
export type Card = z.infer<typeof card>;

/** Money that goes back to a buyer, for returned units or for all that was left of the order. */
export const refund = z.object({
  amount: dollars,
  /** `done` once the payment provider has given it back. */
  state: z.enum(['pending', 'done']),
  /** When it was given back; while it is pending, when it was begun. */
  at: timestamp,
  /** Null where the provider has not told it. */
  card: z.nullable(card),
  /** Empty when it is for all that was left. */
  items: z.array(z.object({ name: z.string(), quantity: z.int() })),
});
export type Refund = z.infer<typeof refund>;

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
