import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentEvent } from '../../platform/payments/payments.ts';
import { raiseAlert } from '../alerts/raise-alert.ts';
import { isPaid } from '../orders/order-states.ts';
import { countDecline } from './count-decline.ts';
import { disputeOrder } from './dispute-order.ts';
import { followRefund } from './refund-order.ts';
import { releaseOrder } from './release-order.ts';
import { isSettledHere, settleOrder } from './settle-order.ts';
import { findOrderOfNewEvent, rememberFinishedEvent } from './webhook-events.queries.ts';

/**
 * Acts once on a signed event. The event only says where to look: the provider is asked what is true. Intents that no
 * order has are none of our business; a failure of ours leaves the event unfinished, so that it is sent again.
 */
export async function receivePaymentEvent(deps: Deps, event: PaymentEvent): Promise<void> {
  if (announcesMoney(event) && isSettledHere(event.paymentIntentId)) return;
  const order = await findOrderOfNewEvent(deps.db, event);
  if (!order || (announcesMoney(event) && isPaid(order))) return;
  await act(deps, event, order);
  await rememberFinishedEvent(deps.db, { ...event, at: deps.clock.now() });
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
      return refundIfWhole(deps, order);
    case 'charge.dispute.created':
      await settleFirst(deps, order);
      return disputeOrder(deps, order.id);
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

/** Only a whole refund ends the order; of a part a person must decide. */
async function refundIfWhole(deps: Deps, order: OrderRow): Promise<void> {
  await settleFirst(deps, order);
  const cents = await followRefund(deps, order);
  if (cents === 0) return;
  await raiseAlert(deps, {
    kind: 'partial-refund',
    subject: `${order.payment_intent_id}/${cents}`,
    orderId: order.id,
    message: 'an order was refunded in part',
  });
}

/** What takes a delivery back comes after it: an order in the middle of being settled would be delivered later. */
async function settleFirst(deps: Deps, order: OrderRow): Promise<void> {
  if (!isPaid(order)) await settleOrAlert(deps, order.id);
}
