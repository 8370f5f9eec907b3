import type { Deps } from '../../deps.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { storeIntent } from '../orders/orders.queries.ts';
import type { PayableOrder } from './checkout.queries.ts';

/**
 * The provider's intent of an order: made on the first call, the same one ever after, even when a process died between
 * making it and writing its id down, because the idempotency key is made of the order.
 */
export async function ensureIntent(deps: Deps, order: PayableOrder): Promise<PaymentIntent> {
  if (order.payment_intent_id !== null) return deps.payments.retrieveIntent(order.payment_intent_id);
  const intent = await deps.payments.createIntent({
    orderId: order.id,
    attempt: order.payment_attempt,
    amountCents: order.total_cents,
    receiptEmail: order.contact_email,
  });
  deps.crashPoint('intent-created');
  await storeIntent(deps.db, order.id, intent.id);
  deps.crashPoint('intent-stored');
  return intent;
}
