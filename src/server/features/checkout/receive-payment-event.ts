import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { PaymentEvent } from '../../platform/payments/payments.ts';
import { findOrderByIntent } from '../orders/orders.queries.ts';
import { disputeOrder } from './dispute-order.ts';
import { refundOrder } from './refund-order.ts';
import { releaseOrder } from './release-order.ts';
import { settleOrder } from './settle-order.ts';
import { finishEvent, rememberEvent } from './webhook-events.queries.ts';

/**
 * Acts once on a signed event. The event only says where to look: the provider is asked what is true. Intents that no
 * order has are none of our business; a failure of ours leaves the event unfinished, so that it is sent again.
 */
export async function receivePaymentEvent(deps: Deps, event: PaymentEvent): Promise<void> {
  const now = deps.clock.now();
  const order = event.paymentIntentId && (await findOrderByIntent(deps.db, event.paymentIntentId));
  if (!order) return;
  if ((await rememberEvent(deps.db, event, now)) === 'finished') return;
  await act(deps, event, order.id);
  await finishEvent(deps.db, event.id, deps.clock.now());
}

async function act(deps: Deps, event: PaymentEvent, orderId: string): Promise<void> {
  switch (event.type) {
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.succeeded':
      return settleOrAlert(deps, orderId);
    case 'payment_intent.canceled':
      return releaseOrder(deps, orderId, 'payment-failed');
    case 'charge.refunded':
      return refundOrder(deps, orderId, 'Refunded at the provider');
    case 'charge.dispute.created':
      return disputeOrder(deps, orderId);
  }
}

/** An event that comes late or names money that is not the order's has no effect; the latter has raised its alert. */
async function settleOrAlert(deps: Deps, orderId: string): Promise<void> {
  try {
    await settleOrder(deps, orderId);
  } catch (error) {
    const settledElsewhere =
      error instanceof AppError &&
      (error.code === 'PAYMENT_NOT_CONFIRMED' || error.code === 'PAYMENT_MISMATCH');
    if (!settledElsewhere) throw error;
  }
}
