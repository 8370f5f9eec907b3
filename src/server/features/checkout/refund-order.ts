import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { PaymentRefused } from '../../platform/payments/payments.ts';
import { withdrawSoldItems } from '../inventory/inventory.queries.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { getOrder, lockOrder, markRefunded, markRefunding } from '../orders/orders.queries.ts';
import { cancelOrder } from './cancel-order.ts';

/**
 * Gives all the money of a paid order back. The goods are withdrawn first, in the transaction that decides on the
 * refund, so that nobody reads them afterwards. Safe to call again; the sweeper finishes what is left `refunding`.
 */
export async function refundOrder(deps: Deps, orderId: string, reason: string): Promise<void> {
  await beginRefund(deps, orderId, reason);
  await finishRefund(deps, orderId);
}

/** Ends an order whose money was given back by hand at the provider; false while it was not given back whole. */
export async function followRefund(deps: Deps, order: OrderRow): Promise<boolean> {
  const refundedCents = await deps.payments.refundedCents(order.payment_intent_id ?? '');
  if (refundedCents < order.total_cents) return false;
  await refundOrder(deps, order.id, 'Refunded at the provider');
  return true;
}

/** Gives back money that was captured, or refunded, behind our back: its order ends without ever being delivered. */
export async function refundUndelivered(deps: Deps, orderId: string, reason: string): Promise<void> {
  await cancelOrder(deps, orderId, 'payment-failed');
  await refundOrder(deps, orderId, reason);
}

async function beginRefund(deps: Deps, orderId: string, reason: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state === 'fulfilled') {
      await withdrawSoldItems(trx, orderId);
    } else if (order.state !== 'cancelled') return;
    // A cancelled order is here when its money was captured behind our back: nothing was delivered.
    await markRefunding(trx, orderId, reason, deps.clock.now());
  });
  deps.crashPoint('refund-begun');
}

/** Carries a `refunding` order to its end; the provider answers the same refund however often it is asked. */
export async function finishRefund(deps: Deps, orderId: string): Promise<void> {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'refunding' || order.payment_intent_id === null) return;
  const refund = await deps.payments.refundIntent({ intentId: order.payment_intent_id, orderId });
  deps.crashPoint('refunded-at-provider');
  if (refund.status === 'failed' || refund.status === 'canceled') {
    deps.log.error({ alert: 'refund-failed', orderId, refundId: refund.id }, 'the provider could not refund');
    throw new PaymentRefused(refund.status, 'The refund failed at the provider');
  }
  await deps.db.transaction().execute(async (trx) => {
    const locked = await lockOrder(trx, orderId);
    if (locked.state !== 'refunding') return;
    await markRefunded(trx, orderId, deps.clock.now());
    await enqueueMail(deps, trx, {
      kind: 'order-refunded',
      recipient: locked.contact_email,
      orderId,
      userId: locked.user_id,
    });
  });
}
