import { sameTotal, toDollars } from '../../../shared/pricing.ts';
import { call } from '../../lib/api-client.ts';
import { type CardEntry, type ConfirmedPayment, PAYMENT_FAILED } from './card/card-entry.ts';
import { orderItemsOf, type Quote } from './quote.ts';

export interface Buyer {
  guest: boolean;
  name: string;
  email: string;
  phone: string;
}

export type Authorisation =
  | { outcome: 'authorised'; payment: ConfirmedPayment }
  | { outcome: 'repriced' }
  | { outcome: 'refused'; message: string }
  /** The connection broke while paying; `orderId` is to be asked about before paying again. */
  | { outcome: 'unknown' };

interface Attempt {
  buyer: Buyer;
  quote: Quote;
  card: CardEntry;
  /** What the shop does when the same was just bought: `allow` once the buyer has been asked. */
  onRepeat: 'ask' | 'allow';
  /** Told the order's id before the card is confirmed. */
  onOrder: (orderId: string) => void;
}

function openPayment({ buyer, quote, onRepeat }: Attempt) {
  const orderItems = orderItemsOf(quote).map(({ image: _, ...item }) => item);
  const totalPrice = toDollars(quote.totals.totalCents);
  if (!buyer.guest) {
    return call('POST /digital-orders/create-payment-intent', {
      body: { orderItems, totalPrice, onRepeat, contactEmail: buyer.email },
    });
  }
  const guest = { guestEmail: buyer.email, guestName: buyer.name, guestPhone: buyer.phone };
  return call('POST /digital-orders/guest/create-payment-intent', {
    body: { orderItems, totalPrice, onRepeat, ...guest },
  });
}

/** The payment of `orderId` when the shop knows it to be authorised or captured, whatever this page heard of it. */
export async function findPayment(orderId: string): Promise<ConfirmedPayment | undefined> {
  const { data } = await call('GET /digital-orders/guest/checkout');
  if (data?.orderId !== orderId || data.state !== 'paid') return undefined;
  return { id: data.paymentIntentId, status: 'requires_capture' };
}

/** Holds the goods at the shop's price and has the card confirmed; throws CallError when the shop refuses. */
export async function authorise(attempt: Attempt, mayOpenAnother = true): Promise<Authorisation> {
  const { buyer, quote, card, onOrder } = attempt;
  const { clientSecret, orderId, validatedAmounts } = await openPayment(attempt);
  if (!sameTotal(validatedAmounts.totalPrice, toDollars(quote.totals.totalCents)))
    return { outcome: 'repriced' };
  onOrder(orderId);

  const confirmation = await card.confirm({ clientSecret, name: buyer.name, email: buyer.email });
  switch (confirmation.outcome) {
    case 'unknown': {
      const payment = await findPayment(orderId);
      return payment ? { outcome: 'authorised', payment } : confirmation;
    }
    // The hold had run out meanwhile: the shop opens a new payment for the same cart.
    case 'ended':
      return mayOpenAnother ? authorise(attempt, false) : { outcome: 'refused', message: PAYMENT_FAILED };
    default:
      return confirmation;
  }
}
