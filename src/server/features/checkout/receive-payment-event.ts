import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentEvent } from '../../platform/payments/payments.ts';
import { isPaid } from '../orders/order-status.ts';
import { followGivenAtProvider } from '../orders/refund-order.ts';
import { findOrderOfNewEvent, rememberFinishedEvent } from './checkout.queries.ts';
import { followClaims } from './follow-claims.ts';
import { countDecline, releaseOrder } from './release-order.ts';
import { isSettledHere, settleIfAuthorised } from './settle-order.ts';

/**
 * Handles a verified event once. Only the ids are taken from the event; the current state is read from the provider.
 * Events about intents without an order are ignored. If this throws, the event is not recorded as handled, and the
 * provider sends it again.
 */
export async function receivePaymentEvent(deps: Deps, event: PaymentEvent): Promise<void> {
  if (announcesMoney(event) && isSettledHere(event.paymentIntentId)) return;
  const order = await findOrderOfNewEvent(deps.db, event);
  if (!order || (announcesMoney(event) && isPaid(order))) return;
  await act(deps, event, order);
  await rememberFinishedEvent(deps.db, event, deps.clock.now());
}

const announcesMoney = ({ type }: PaymentEvent) =>
  type === 'payment_intent.amount_capturable_updated' || type === 'payment_intent.succeeded';

/** Settles the order before its goods are withdrawn or frozen; otherwise the goods would be delivered afterwards. */
async function act(deps: Deps, event: PaymentEvent, order: OrderRow): Promise<void> {
  if (announcesMoney(event)) return settleIfAuthorised(deps, order.id);
  switch (event.type) {
    case 'payment_intent.payment_failed':
      return countDecline(deps, order, event.declineId ?? event.id);
    case 'payment_intent.canceled':
      return releaseOrder(deps, order.id, 'payment-failed');
    case 'charge.refunded':
    case 'charge.refund.updated':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      await settleIfAuthorised(deps, order.id);
      return followGivenAtProvider(deps, order);
  }
  if (!isClaim(event)) return;
  await settleIfAuthorised(deps, order.id);
  await followClaims(deps, order);
}

const isClaim = ({ type }: PaymentEvent) =>
  type.startsWith('charge.dispute.') || type.startsWith('radar.early_fraud_warning.');
