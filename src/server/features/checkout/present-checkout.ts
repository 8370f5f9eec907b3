import type { CheckoutStatus, PaymentStatus } from '../../../shared/checkout.ts';
import type { OrderState } from '../../../shared/orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import { waitsForEmail } from '../orders/order-states.ts';
import type { OrderWithLines } from '../orders/orders.queries.ts';

const states: Record<OrderState, CheckoutStatus['state']> = {
  pending: 'open',
  capturing: 'paid',
  fulfilled: 'paid',
  cancelled: 'cancelled',
  refunding: 'cancelled',
  refunded: 'cancelled',
  disputed: 'cancelled',
};

/** What the browser that pays may know of its order; `authorised` is the provider's word on a pending one. */
export function presentCheckout(
  order: OrderWithLines,
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
    orderItems: order.lines.map((line) => ({ product: line.product_id, quantity: line.quantity })),
  };
}

function stateOf(order: OrderWithLines, authorised: boolean): CheckoutStatus['state'] {
  if (waitsForEmail(order)) return 'waiting';
  return order.state === 'pending' && authorised ? 'paid' : states[order.state];
}

const paymentStates: Record<OrderState, PaymentStatus['state'] | null> = {
  pending: 'open',
  capturing: 'paid',
  fulfilled: 'ready',
  cancelled: 'failed',
  // What becomes of an order later is told by mail, and on its own page.
  refunding: null,
  refunded: null,
  disputed: null,
};

function paymentStateOf(order: OrderWithLines, authorised: boolean): PaymentStatus['state'] | null {
  if (waitsForEmail(order)) return 'waiting';
  return authorised ? 'paid' : paymentStates[order.state];
}

/** Null when there is nothing to wait for any more. */
export function presentPayment(
  order: OrderWithLines,
  { authorised }: { authorised: boolean },
): PaymentStatus | null {
  const state = paymentStateOf(order, authorised);
  if (state === null) return null;
  const orderItems = order.lines.map((line) => ({ product: line.product_id, quantity: line.quantity }));
  return { orderId: order.id, state, orderItems };
}
