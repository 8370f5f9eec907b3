import type { PaidCard } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { PaymentRefused } from '../../platform/payments/payments.ts';
import { endAlert, raiseAlert } from '../admin/alerts.queries.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { isHeldBack } from './freezes.queries.ts';
import { getOrder, lockOrder } from './orders.queries.ts';
import {
  addRefundedCents,
  isRest,
  listRefunds,
  markRefundDone,
  markRefundFailed,
  type OrderRefund,
  sumOf,
} from './refunds.queries.ts';

// How long after a refusal the provider is asked again; the alert asks a person to solve what causes it meanwhile.
const RETRY_REFUSED_MS = 60 * 60 * 1000;

/** Steps 2 and 3 at once. When the provider is away, the refund is written down, and the sweeper finishes it. */
export async function tryFinishRefunds(deps: Deps, orderId: string): Promise<void> {
  deps.crashPoint('refund-begun');
  try {
    await finishRefunds(deps, orderId);
  } catch (error) {
    deps.log.error({ err: error, orderId }, 'a refund is left to the sweeper');
  }
}

/**
 * Steps 2 and 3 for every unfinished refund of an order; the provider gives each once, however often it is asked. A refund
 * of all that is left is the only one that is asked for: it includes the units that are still being refunded.
 */
export async function finishRefunds(deps: Deps, orderId: string): Promise<void> {
  const { payment_intent_id: intentId } = await getOrder(deps.db, orderId);
  if (intentId === null) return;
  const refunds = await listRefunds(deps.db, [orderId]);
  // Refused ones come last: their next refusal makes the whole order wait for an hour.
  const unfinished = ['pending', 'failed'].flatMap((state) => refunds.filter((one) => one.state === state));
  const rest = unfinished.find(isRest);
  const several = refunds.length > 1 || rest === undefined;
  const refusals: PaymentRefused[] = [];
  for (const refund of rest ? [rest] : unfinished) {
    const refusal = await giveBack(deps, refund, intentId, several);
    if (refusal) refusals.push(refusal);
  }
  if (refusals[0]) throw refusals[0];
}

/** Answers a refusal instead of throwing it: the order's other refunds need not wait. `several` refunds must be named. */
async function giveBack(deps: Deps, refund: OrderRefund, intentId: string, several: boolean) {
  const { id: refundId, order_id: orderId, cents } = refund;
  const amountCents = isRest(refund) ? undefined : cents;
  let card: PaidCard | undefined;
  try {
    // Asked before the money moves: afterwards nothing but the database keeps the refund from being finished.
    card = await deps.payments.findCard(intentId);
    if (!(await wasGivenPastUs(deps, refund, intentId))) {
      const oneOfSeveral = several ? { refundId, amountCents } : undefined;
      const { status } = await deps.payments.refundIntent({ intentId, orderId, oneOfSeveral });
      if (status === 'failed' || status === 'canceled') {
        throw new PaymentRefused(status, 'The refund failed at the provider');
      }
    }
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return (await recordRefusal(deps, refund)) ? error : undefined;
  }
  deps.crashPoint('refunded-at-provider');
  await finishRefund(deps, refund, card);
}

/**
 * After a failed refund, staff may refund in the provider's dashboard. Such a refund does not name ours, so its cents are
 * compared with those of our refunds that are done although the provider does not name them: each counts for one of ours. So does one
 * that the shop gave after the backup that it was restored from: it is entered again, and given once.
 */
async function wasGivenPastUs(deps: Deps, refund: OrderRefund, intentId: string): Promise<boolean> {
  if (isRest(refund)) return false;
  if (refund.state !== 'failed' && !(await isHeldBack(deps.db, refund.order_id))) return false;
  const given = await deps.payments.listRefunds(intentId);
  const named = new Set(given.map(({ refundId }) => refundId));
  if (named.has(refund.id)) return false;
  const ours = await listRefunds(deps.db, [refund.order_id]);
  const byHand = given.filter(({ refundId }) => !ours.some(({ id }) => id === refundId));
  const done = ours.filter(({ state, id }) => state === 'done' && !named.has(id));
  return sumOf(byHand) - sumOf(done) >= refund.cents;
}

/** False when the refusal does not matter (markRefundFailed). */
async function recordRefusal(deps: Deps, refund: OrderRefund): Promise<boolean> {
  const orderId = refund.order_id;
  const retryAt = new Date(deps.clock.now().getTime() + RETRY_REFUSED_MS);
  const hasFailed = await deps.db.transaction().execute(async (trx) => {
    await lockOrder(trx, orderId);
    return markRefundFailed(trx, refund, retryAt);
  });
  const alert = {
    kind: 'refund-failed',
    subject: refund.id,
    orderId,
    message: 'the provider could not refund',
  } as const;
  if (hasFailed) await raiseAlert(deps, alert);
  return hasFailed;
}

/** Step 3. */
async function finishRefund(deps: Deps, refund: OrderRefund, card: PaidCard | undefined): Promise<void> {
  const now = deps.clock.now();
  const given = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, refund.order_id);
    if (!(await markRefundDone(trx, refund, { card, now }))) return undefined;
    await endAlert(trx, { kind: 'refund-failed', subject: refund.id }, now);
    await addRefundedCents(trx, refund, now);
    const kind = isRest(refund) ? 'order-refunded' : 'order-refunded-in-part';
    const { id: orderId, contact_email: recipient, user_id: userId } = order;
    await enqueueMail(deps, trx, { kind, recipient, orderId, userId });
    // The rest includes what other refunds had not given yet.
    return isRest(refund) ? order.total_cents - order.refunded_cents : refund.cents;
  });
  if (given === undefined) return;
  deps.metrics.refunded(given);
  if (isRest(refund)) deps.metrics.order('refunded');
}
