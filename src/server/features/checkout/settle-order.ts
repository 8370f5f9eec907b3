import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { keepNewest } from '../../platform/keep-newest.ts';
import { type PaymentIntent, PaymentRefused } from '../../platform/payments/payments.ts';
import { ownerOfPaidOrder } from '../accounts/guest-accounts.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { isPaid } from '../orders/order-states.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { cancelOrder } from './cancel-order.ts';
import { fulfilOrder, pinHeldGoods } from './checkout.queries.ts';
import { assertIntentOfOrder } from './intent-of-order.ts';
import { refundUndelivered } from './refund-order.ts';

// The browser's call and the webhook arrive together; within one process they share one run.
const running = new WeakMap<Deps, Map<string, Promise<OrderRow>>>();

// Of the last orders settled here, so that their webhooks, which come a moment later, need not look.
const settledIntents = new Map<string, true>();
const MOST_SETTLED_INTENTS = 1_000;

/** True only when the money of this intent has got its goods; false also when another process, or nobody, knows. */
export const isSettledHere = (paymentIntentId: string | undefined): boolean =>
  paymentIntentId !== undefined && settledIntents.has(paymentIntentId);

/**
 * Step 3 of the money path and the only finisher of an order: asks the provider, pins the goods, captures the money,
 * hands over the goods. It may be called by anybody, at once and again: it carries on from where the order stands.
 * Answers the fulfilled order; throws PAYMENT_NOT_CONFIRMED while there is no authorised money, PAYMENT_MISMATCH when
 * it is not this order's, PAYMENT_PROVIDER_UNAVAILABLE when the provider cannot be asked. `justRead` saves a caller who
 * has the row the reading of it: what is decided by it is decided again under the row's lock.
 */
export function settleOrder(deps: Deps, orderId: string, justRead?: OrderRow): Promise<OrderRow> {
  const runs = running.get(deps) ?? new Map<string, Promise<OrderRow>>();
  running.set(deps, runs);
  const start = () => {
    const run = runs.get(orderId) ?? settle(deps, orderId, justRead).finally(() => runs.delete(orderId));
    runs.set(orderId, run);
    return run;
  };
  // A run that failed may have asked the provider just before the card was confirmed: then this caller asks again.
  return runs.get(orderId)?.catch(start) ?? start();
}

async function settle(deps: Deps, orderId: string, justRead?: OrderRow): Promise<OrderRow> {
  const order = justRead ?? (await getOrder(deps.db, orderId));
  if (isPaid(order)) return order;
  if (order.state === 'cancelled' || order.payment_intent_id === null) throw notConfirmed();

  const intent = await deps.payments.retrieveIntent(order.payment_intent_id);
  await assertIntentOfOrder(deps, order, intent);
  if (intent.status === 'canceled' && order.state === 'capturing')
    await cancelOrder(deps, orderId, 'payment-failed');
  if (intent.status !== 'requires_capture' && intent.status !== 'succeeded') throw notConfirmed();
  if (intent.status === 'succeeded' && (await isGivenBack(deps, order, intent))) {
    await refundUndelivered(deps, orderId, 'Refunded at the provider');
    throw notConfirmed();
  }

  await pinGoods(deps, orderId);
  deps.crashPoint('goods-pinned');

  await capture(deps, order, intent);
  deps.crashPoint('payment-captured');

  const fulfilled = await handOver(deps, order);
  deps.crashPoint('order-fulfilled');
  keepNewest(settledIntents, intent.id, true, MOST_SETTLED_INTENTS);
  return fulfilled;
}

/** Captured before this run, and refunded at the provider since. */
async function isGivenBack(deps: Deps, order: OrderRow, intent: PaymentIntent): Promise<boolean> {
  return (await deps.payments.refundedCents(intent.id)) >= order.total_cents;
}

/** From here on the goods are this buyer's: the money is taken only after this is on disk. */
async function pinGoods(deps: Deps, id: string): Promise<void> {
  const { state, complete } = await pinHeldGoods(deps.db, id);
  if (state === 'cancelled') throw notConfirmed();
  if (!complete) throw new Error(`Order ${id} holds other goods than it ordered`);
}

async function capture(deps: Deps, order: OrderRow, intent: PaymentIntent): Promise<void> {
  if (intent.status === 'succeeded') return;
  try {
    await deps.payments.captureIntent({ intentId: intent.id, orderId: order.id });
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    // Void what may be left of the authorisation before the goods go back.
    const left = await deps.payments.cancelIntent({ intentId: intent.id, orderId: order.id });
    if (left.status === 'succeeded') return assertIntentOfOrder(deps, order, left);
    await cancelOrder(deps, order.id, 'payment-failed');
    throw notConfirmed();
  }
}

/** The money is ours, so the goods become the buyer's: sold, owned, and announced by mail, in one transaction. */
async function handOver(deps: Deps, order: OrderRow): Promise<OrderRow> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const owner = await ownerOfPaidOrder(trx, order, now);
    const fulfilled = await fulfilOrder(trx, order, { ...owner, now });
    if (!fulfilled) return finishedByAnother(trx, order.id);
    await enqueueMail(deps, trx, {
      kind: 'order-delivered',
      recipient: order.contact_email,
      orderId: order.id,
      userId: owner.userId,
    });
    return fulfilled;
  });
}

async function finishedByAnother(trx: Transaction, orderId: string): Promise<OrderRow> {
  const order = await getOrder(trx, orderId);
  if (order.state === 'cancelled') throw notConfirmed();
  return order;
}

const notConfirmed = () => new AppError('PAYMENT_NOT_CONFIRMED', 'Payment failed. Please try again.');
