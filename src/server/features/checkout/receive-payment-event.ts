import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentEvent } from '../../platform/payments/payments.ts';
import { isPaid } from '../orders/order-status.ts';
import { followGivenAtProvider } from '../orders/refund-order.ts';
import { findOrderOfNewEvent, rememberFinishedEvent } from './checkout.queries.ts';
import { followClaims } from './follow-claims.ts';
import { countDecline, releaseOrder } from './release-order.ts';
import { isSettledHere, settleOrder } from './settle-order.ts';

/**
 * Acts once on an event whose signature is checked. The event only says where to look: the provider is asked what is
 * true. Events about intents without an order are ignored. When this throws, the event stays unfinished, and the
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

async function act(deps: Deps, event: PaymentEvent, order: OrderRow): Promise<void> {
  if (announcesMoney(event)) return settleOrAlert(deps, order.id);
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
      await settleFirst(deps, order);
      return followGivenAtProvider(deps, order);
  }
  if (!isClaim(event)) return;
  await settleFirst(deps, order);
  await followClaims(deps, order);
}

const isClaim = ({ type }: PaymentEvent) =>
  type.startsWith('charge.dispute.') || type.startsWith('radar.early_fraud_warning.');

/**
 * Settles an order. Has no effect when the money is not authorised, or is not the order's, for which settleOrder raises
 * an alert.
 */
async function settleOrAlert(deps: Deps, orderId: string): Promise<void> {
  try {
    await settleOrder(deps, orderId);
  } catch (error) {
    const codes = ['PAYMENT_NOT_CONFIRMED', 'PAYMENT_MISMATCH'];
    if (!(error instanceof AppError && codes.includes(error.code))) throw error;
  }
}

/** Settles an order before its goods are withdrawn or frozen: otherwise they would be delivered afterwards. */
async function settleFirst(deps: Deps, order: OrderRow): Promise<void> {
  if (!isPaid(order)) await settleOrAlert(deps, order.id);
}
