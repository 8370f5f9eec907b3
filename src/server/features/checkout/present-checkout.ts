import type { CheckoutStatus, OrderState } from '../../../shared/orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { OrderRow } from '../../platform/database/tables.ts';

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
  order: OrderRow,
  { authorised, needsPassword }: { authorised: boolean; needsPassword: boolean },
): CheckoutStatus {
  return {
    orderId: order.id,
    state: order.state === 'pending' && authorised ? 'paid' : states[order.state],
    guest: order.guest,
    needsPassword,
    email: order.contact_email,
    totalPrice: toDollars(order.total_cents),
    paymentIntentId: order.payment_intent_id ?? '',
  };
}
