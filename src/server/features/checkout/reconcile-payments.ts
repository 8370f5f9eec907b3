import * as z from 'zod/mini';
import type { Deps } from '../../deps.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { findOrder, findOrderByIntent, listPaidOrders } from '../orders/orders.queries.ts';
import { followRefund, refundOrder } from './refund-order.ts';
import { settleOrder } from './settle-order.ts';

// Intents live at most this long before their authorisation lapses; older differences have been seen before.
const LOOK_BACK_MS = 7 * 24 * 60 * 60 * 1000;
// A younger payment is under way: its buyer, its webhook and the sweeper are at it.
const SETTLING_MS = 60 * 1000;

const isOrderId = (value: string | undefined): value is string => z.uuid().safeParse(value).success;

/**
 * Compares the provider's list with ours both ways. Authorised money of an open order settles it; money captured for
 * an order that was given up goes back; goods whose money was given back are withdrawn; what no rule explains is an alert for a person.
 */
export async function reconcilePayments(deps: Deps): Promise<void> {
  const now = deps.clock.now().getTime();
  const since = new Date(now - LOOK_BACK_MS);
  const captured = new Set<string>();
  for await (const intent of deps.payments.listIntents({ createdSince: since })) {
    if (intent.status === 'succeeded') captured.add(intent.id);
    const holdsMoney = intent.status === 'succeeded' || intent.status === 'requires_capture';
    if (holdsMoney && intent.createdAt.getTime() <= now - SETTLING_MS) await reconcileIntent(deps, intent);
  }
  for await (const { intentId } of deps.payments.listAllRefunds({ since })) {
    await reconcileRefund(deps, intentId);
  }
  for (const order of await listPaidOrders(deps.db, since)) {
    if (order.payment_intent_id === null || captured.has(order.payment_intent_id)) continue;
    await confirmPaid(deps, order.id, order.payment_intent_id);
  }
}

/** A refund by hand whose webhook never came. Of the whole, one that is ours, or was followed before, has ended the order. */
async function reconcileRefund(deps: Deps, intentId: string): Promise<void> {
  const order = await findOrderByIntent(deps.db, intentId);
  if (order?.state !== 'fulfilled') return;
  try {
    await followRefund(deps, order);
  } catch (error) {
    deps.log.error({ err: error, orderId: order.id }, 'a refund could not be followed');
  }
}

/** One order's trouble, say a payment made at another provider before a change, must not hide the next one's. */
async function confirmPaid(deps: Deps, orderId: string, intentId: string): Promise<void> {
  try {
    const { status } = await deps.payments.retrieveIntent(intentId);
    if (status === 'succeeded') return;
    deps.log.error({ alert: 'delivered-without-payment', orderId }, 'a delivered order has no payment');
  } catch (error) {
    deps.log.error(
      { err: error, alert: 'payment-not-found', orderId },
      'an order’s payment could not be asked for',
    );
  }
}

async function reconcileIntent(deps: Deps, intent: PaymentIntent): Promise<void> {
  if (!isOrderId(intent.orderId)) return;
  const orderId = intent.orderId;
  const order = await findOrder(deps.db, orderId);
  if (order?.payment_intent_id !== intent.id) {
    // A restored backup forgets orders; whether those were delivered, only a person can tell.
    deps.log.error(
      { alert: 'unknown-payment', orderId, paymentIntentId: intent.id },
      'a payment has no order',
    );
    return;
  }
  try {
    if (order.state === 'pending' || order.state === 'capturing') await settleOrder(deps, orderId);
    if (order.state !== 'cancelled') return;
    if (intent.status === 'succeeded')
      await refundOrder(deps, orderId, 'Captured after the order was cancelled');
    else await deps.payments.cancelIntent({ intentId: intent.id, orderId });
  } catch (error) {
    deps.log.error({ err: error, orderId }, 'a payment could not be reconciled');
  }
}
