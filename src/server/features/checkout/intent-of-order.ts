import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { raiseAlert } from '../alerts/raise-alert.ts';

const CURRENCY = 'usd';

/** Refuses an intent whose id, amount, currency, order or mode is not the order's, and raises an alert. */
export async function assertIntentOfOrder(deps: Deps, order: OrderRow, intent: PaymentIntent): Promise<void> {
  const expectedLiveMode = deps.config.stripe?.liveMode ?? false;
  const matches =
    intent.id === order.payment_intent_id &&
    intent.amountCents === order.total_cents &&
    (intent.status !== 'succeeded' || intent.receivedCents === order.total_cents) &&
    intent.currency === CURRENCY &&
    intent.orderId === order.id &&
    intent.liveMode === expectedLiveMode;
  if (matches) return;
  await raiseAlert(deps, {
    kind: 'payment-mismatch',
    subject: intent.id,
    orderId: order.id,
    message: 'the payment is not the order’s',
  });
  throw new AppError('PAYMENT_MISMATCH', 'This payment does not belong to this order');
}
