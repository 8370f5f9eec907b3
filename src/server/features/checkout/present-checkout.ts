import type { CheckoutStatus, PaymentStatus } from '../../../shared/checkout.ts';
import type { OrderState } from '../../../shared/orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { waitsForEmail } from '../orders/order-status.ts';
import type { PayableOrder } from './checkout.queries.ts';

type PaidOrder = OrderRow & { lines: readonly OrderLineRow[] };

/** The payment that the browser is to confirm. */
export const presentIntent = ({ order, intent }: { order: PayableOrder; intent: PaymentIntent }) => ({
  clientSecret: intent.clientSecret,
  orderId: order.id,
  validatedAmounts: {
    itemsPrice: toDollars(order.items_cents),
    taxPrice: toDollars(order.tax_cents),
    totalPrice: toDollars(order.total_cents),
  },
});

const states: Record<OrderState, CheckoutStatus['state']> = {
  pending: 'open',
  capturing: 'paid',
  fulfilled: 'paid',
  cancelled: 'cancelled',
  refunding: 'cancelled',
  refunded: 'cancelled',
  disputed: 'cancelled',
};

/** What the browser that pays may see of its order; `authorised`: the provider says that a pending order is paid. */
export function presentCheckout(
  order: PaidOrder,
  { authorised, needsPassword }: { authorised: boolean; needsPassword: boolean },
): CheckoutStatus {
  return {
    orderId: order.id,
    state: stateOf(order, authorised),
    guest: order.guest,
    needsPassword,
    email: order.contact_email,
    totalPrice: toDollars(order.total_cents),
    paymentIntentId: order.payment_intent_id ?? '',
    orderItems: itemsOf(order),
  };
}

const itemsOf = ({ lines }: PaidOrder) => lines.map((line) => ({ product: line.product_id, quantity: line.quantity }));

function stateOf(order: PaidOrder, authorised: boolean): CheckoutStatus['state'] {
  if (waitsForEmail(order)) return 'waiting';
  return order.state === 'pending' && authorised ? 'paid' : states[order.state];
}

const paymentStates: Record<OrderState, PaymentStatus['state'] | null> = {
  pending: 'open',
  capturing: 'paid',
  fulfilled: 'ready',
  cancelled: 'failed',
  // What happens to an order later is shown by mails and on its own page.
  refunding: null,
  refunded: null,
  disputed: null,
};

/** Null when there is nothing to wait for any more. */
export function presentPayment(order: PaidOrder, { authorised }: { authorised: boolean }): PaymentStatus | null {
  const state = waitsForEmail(order) ? 'waiting' : authorised ? 'paid' : paymentStates[order.state];
  if (state === null) return null;
  return { orderId: order.id, state, orderItems: itemsOf(order) };
}
