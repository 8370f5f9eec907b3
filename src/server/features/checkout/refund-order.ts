import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type PaymentCard, PaymentRefused } from '../../platform/payments/payments.ts';
import { endAlertAbout } from '../alerts/alerts.queries.ts';
import { raiseAlert } from '../alerts/raise-alert.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { lockOrder, markRefunded } from '../orders/orders.queries.ts';
import { beginRefund } from './begin-refund.ts';
import { cancelOrder } from './cancel-order.ts';
import {
  addRefunded,
  listRefunds,
  markAllRefundsDone,
  markRefundDone,
  markRefundFailed,
  type RefundOfOrder,
  sumRefunds,
} from './refunds.queries.ts';

// It was refused for good; a person hears of it each time it is tried.
const RETRY_REFUSED_MS = 60 * 60 * 1000;

/**
 * Gives all the money of a paid order back. The goods are withdrawn first, in the transaction that decides on the
 * refund, so that nobody reads them afterwards. Safe to call again; the sweeper finishes what is left.
 */
export async function refundOrder(deps: Deps, orderId: string, reason: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    // A cancelled order is here when its money was captured behind our back: nothing was delivered.
    if (order.state !== 'fulfilled' && order.state !== 'cancelled') return;
    await beginRefund(deps, trx, order, { reason });
  });
  deps.crashPoint('refund-begun');
  await finishRefunds(deps, orderId);
}

/**
 * Sees to what the provider says was given back: an order is ended when all of it was. Of a part that the shop knows
 * nothing of, `by-hand`, a person must decide.
 */
export async function followRefund(deps: Deps, order: OrderRow): Promise<number> {
  const refundedCents = await deps.payments.refundedCents(order.payment_intent_id ?? '');
  if (refundedCents >= order.total_cents) {
    await refundOrder(deps, order.id, 'Refunded at the provider');
    return 0;
  }
  return Math.max(0, refundedCents - (await sumRefunds(deps.db, order.id)));
}

/** Gives back money that was captured, or refunded, behind our back: its order ends without ever being delivered. */
export async function refundUndelivered(deps: Deps, orderId: string, reason: string): Promise<void> {
  await cancelOrder(deps, orderId, 'payment-failed');
  await refundOrder(deps, orderId, reason);
}

/**
 * Carries an order's refunds to their end; the provider gives each once, however often it is asked. Where all that is
 * left goes back, that is all that is asked for: it includes the parts that were still on their way.
 */
export async function finishRefunds(deps: Deps, orderId: string): Promise<void> {
  const refunds = await listRefunds(deps.db, orderId);
  // Those that were refused before come last: their next refusal puts the whole order off for an hour.
  const unfinished = ['pending', 'failed'].flatMap((state) => refunds.filter((one) => one.state === state));
  const rest = unfinished.find(({ is_rest }) => is_rest);
  const several = refunds.length > 1 || rest === undefined;
  const refusals: PaymentRefused[] = [];
  for (const refund of rest ? [rest] : unfinished) {
    const refusal = await giveBack(deps, refund, several);
    if (refusal) refusals.push(refusal);
  }
  if (refusals[0]) throw refusals[0];
}

/** Answers a refusal, which must not keep other parts of the order waiting. */
async function giveBack(
  deps: Deps,
  refund: RefundOfOrder,
  several: boolean,
): Promise<PaymentRefused | undefined> {
  let card: PaymentCard | undefined;
  try {
    // Before the money moves: once it has gone back, nothing but the database keeps the refund from being finished.
    card = await deps.payments.findCard(refund.payment_intent_id);
    if (!(await wasGivenByHand(deps, refund))) await askProvider(deps, refund, several);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return (await recordRefusal(deps, refund)) ? error : undefined;
  }
  deps.crashPoint('refunded-at-provider');
  await finishRefund(deps, refund, card);
}

/** False when the refusal does not matter: another call has finished this refund, or gives back all that is left. */
async function recordRefusal(deps: Deps, refund: RefundOfOrder): Promise<boolean> {
  const { id: refundId, order_id: orderId } = refund;
  const retryAt = new Date(deps.clock.now().getTime() + RETRY_REFUSED_MS);
  const hasFailed = await deps.db.transaction().execute(async (trx) => {
    await lockOrder(trx, orderId);
    return markRefundFailed(trx, { ...refund, retryAt });
  });
  if (hasFailed) {
    await raiseAlert(deps, {
      kind: 'refund-failed',
      subject: refundId,
      orderId,
      message: 'the provider could not refund',
    });
  }
  return hasFailed;
}

/**
 * Whoever heard that the provider refused a part may have given it there by hand. As it bears no name, it counts for
 * one part of ours only: what was given by hand is compared with the parts that are done without the provider's knowing them.
 */
async function wasGivenByHand(deps: Deps, refund: RefundOfOrder): Promise<boolean> {
  if (refund.state !== 'failed' || refund.is_rest) return false;
  const given = await deps.payments.listRefunds(refund.payment_intent_id);
  const named = new Set(given.map(({ refundId }) => refundId));
  if (named.has(refund.id)) return false;
  const byHand = given.filter(({ refundId }) => refundId === undefined);
  const done = (await listRefunds(deps.db, refund.order_id)).filter(
    ({ state, id }) => state === 'done' && !named.has(id),
  );
  const sum = (refunds: { cents: number }[]) => refunds.reduce((cents, one) => cents + one.cents, 0);
  return sum(byHand) - sum(done) >= refund.cents;
}

async function askProvider(deps: Deps, refund: RefundOfOrder, several: boolean): Promise<void> {
  const { id: refundId, order_id: orderId, payment_intent_id: intentId, is_rest: isRest } = refund;
  const { status } = await deps.payments.refundIntent({
    intentId,
    orderId,
    oneOfSeveral: several ? { refundId, amountCents: isRest ? undefined : refund.cents } : undefined,
  });
  if (status === 'failed' || status === 'canceled') {
    throw new PaymentRefused(status, 'The refund failed at the provider');
  }
}

async function finishRefund(
  deps: Deps,
  { id, cents, order_id: orderId, is_rest: isRest }: RefundOfOrder,
  card: PaymentCard | undefined,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (!(await markRefundDone(trx, { id, card, now }))) return;
    await endAlertAbout(trx, { kind: 'refund-failed', subject: id, now });
    if (isRest) {
      await markAllRefundsDone(trx, { orderId, card, now });
      await markRefunded(trx, orderId, now);
    } else await addRefunded(trx, { orderId, cents });
    await enqueueMail(deps, trx, {
      kind: isRest ? 'order-refunded' : 'order-refunded-in-part',
      recipient: order.contact_email,
      orderId,
      userId: order.user_id,
    });
  });
}
