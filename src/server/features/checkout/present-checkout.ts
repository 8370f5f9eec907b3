import type { CheckoutStatus, PaymentStatus } from '../../../shared/checkout.ts';
import { pricesOf, toDollars } from '../../../shared/pricing.ts';
import type { QuotedOrder } from '../../../shared/shipping.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { stateNames, waitsForEmail } from '../orders/order-status.ts';
import { totalsOfOrder } from '../orders/orders.queries.ts';
import type { PayableOrder } from './checkout.queries.ts';
import type { CartQuote } from './quote-cart.ts';

/** An order with its lines; `authorised`: the provider says that a pending order is paid. */
export interface PaymentState {
  order: OrderRow;
  lines: readonly OrderLineRow[];
  authorised: boolean;
}

export const presentIntent = ({ order, intent }: { order: PayableOrder; intent: PaymentIntent }) => ({
  clientSecret: intent.clientSecret,
  orderId: order.id,
  validatedAmounts: pricesOf(totalsOfOrder(order)),
});

export const presentQuote = (quote: CartQuote, isCountryKnown: boolean): QuotedOrder => ({
  ...pricesOf(quote),
  needsShipping: quote.needsShipping,
  shippingPrice: isCountryKnown || !quote.needsShipping ? toDollars(quote.shippingCents) : null,
  freeShippingAbove: quote.freeAbove,
});

export function presentCheckout({ order, lines, authorised }: PaymentState, needsPassword: boolean): CheckoutStatus {
  const state = authorised && order.state === 'pending' ? 'paid' : stateNames[order.state].checkout;
  return {
    orderId: order.id,
    state: waitsForEmail(order) ? 'waiting' : state,
    guest: order.guest,
    needsPassword,
    email: order.contact_email,
    totalPrice: toDollars(order.total_cents),
    paymentIntentId: order.payment_intent_id ?? '',
    orderItems: itemsOf(lines),
  };
}

const itemsOf = (lines: PaymentState['lines']) =>
  lines.map((line) => ({ product: line.product_id, quantity: line.quantity }));

/** The state of a payment for pages other than the checkout; null when there is nothing left to wait for. */
export function presentPayment({ order, lines, authorised }: PaymentState): PaymentStatus | null {
  const state = waitsForEmail(order) ? 'waiting' : authorised ? 'paid' : stateNames[order.state].progress;
  return state && { orderId: order.id, state, orderItems: itemsOf(lines) };
}
