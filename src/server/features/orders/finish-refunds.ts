import type { BodyOf } from '../../../shared/api.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { logFailure } from '../../platform/log.ts';
import { isValid, PaymentRefused, type ProviderRefund } from '../../platform/payments/payments.ts';
import { endAlertsOfOrder, endAlertsOfRefund, hasUndecidedPart } from '../admin/alerts.queries.ts';
import { changeOrder } from './admin-order-actions.ts';
import {
  findGivenByHand,
  findPartByHand,
  followIfKnown,
  followRefunds,
  givenBackCentsOf,
  type SidesOfOrder,
  unknownCentsOf,
} from './follow-refunds.ts';
import { assertNotDisputed } from './freezes.queries.ts';
import { type AdminChange, getOrder, lockOrder, nextSweep, updateOrder } from './orders.queries.ts';
import { countRefund, endRefund, recordRefund, recordRefusal } from './record-refund.ts';
import {
  applyRefunds,
  beginNextAttempt,
  isFollowedOnly,
  isRest,
  isSettleable,
  isStillOwed,
  listRefunds,
  markAskedAgain,
  markRefundSettled,
  type OrderRefund,
  settledCentsOf,
  splitOffGiven,
  sumOf,
} from './refunds.queries.ts';

/**
 * Does steps 2 and 3 of a refund (docs/architecture.md) now. A failure, e.g. of the provider, is logged, and the sweeper
 * tries again.
 */
export async function tryFinishRefunds(deps: Deps, orderId: string): Promise<void> {
  deps.crashPoint('refund-begun');
  const failure = 'could not finish a refund now; the sweeper will try again';
  await logFailure(deps, { orderId }, failure, () => finishRefunds(deps, orderId));
}

/**
 * Does steps 2 and 3 for every unfinished refund of an order. Repeated requests do not repeat a refund. A refund that
 * the provider has accepted is followed, not requested again. While a refund of all that is left is pending, only that
 * refund is requested, because it includes the unfinished parts (unless a refund was settled in another way). Once it
 * is refused, every unfinished refund is requested. Throws the first refusal after all requests were made. A refund of an
 * order that was paid outside of the shop fails, so that an administrator can settle it.
 */
export async function finishRefunds(deps: Deps, orderId: string): Promise<void> {
  const order = await getOrder(deps.db, orderId);
  const before = await listRefunds(deps.db, [orderId]);
  if (order.payment_intent_id === null) {
    for (const refund of before) await recordRefusal(deps, refund, 'no_payment');
    return;
  }
  // A partial refund may have been done and failed without notice. A refund of the rest then includes its money.
  const asksForRest = before.length > 1 && before.some((one) => isRest(one) && isStillOwed(one));
  if (asksForRest || before.some(isFollowedOnly)) await followRefunds(deps, order);
  const refunds = await listRefunds(deps.db, [orderId]);
  const refusals: PaymentRefused[] = [];
  for (const refund of refundsToRequest(refunds)) {
    const refusal = await giveBack(deps, order, refund, refunds);
    if (refusal) refusals.push(refusal);
  }
  if (refunds.some(isFollowedOnly)) await planNextVisit(deps, orderId);
  if (refusals[0]) throw refusals[0];
}

function refundsToRequest(refunds: readonly OrderRefund[]): OrderRefund[] {
  const pendingRest = refunds.filter((one) => isRest(one) && one.state === 'pending');
  if (pendingRest.some(isFollowedOnly)) return [];
  if (pendingRest.length > 0) return pendingRest.slice(0, 1);
  // Refused refunds come last, because another refusal delays the whole order by an hour.
  return ['pending', 'failed'].flatMap((state) => refunds.filter((one) => one.state === state && !isFollowedOnly(one)));
}

const planNextVisit = (deps: Deps, orderId: string) =>
  deps.db.transaction().execute(async (trx) => {
    await lockOrder(trx, orderId);
    await applyRefunds(trx, orderId, deps.clock.now());
  });

/**
 * Requests one refund from the provider and records the response. Returns a refusal instead of throwing it, so that the
 * order's other refunds are requested, too. Returns undefined for a refusal that does not matter (recordRefusal).
 */
async function giveBack(deps: Deps, order: OrderRow, refund: OrderRefund, refunds: readonly OrderRefund[]) {
  const intentId = order.payment_intent_id ?? '';
  let card: PaidCard | undefined;
  let given: ProviderRefund;
  try {
    // Read the card before the money moves: then only the database can prevent the finished refund from being recorded.
    card = await deps.payments.findCard(intentId);
    if (refund.state === 'failed' && !(await askAgain(deps, refund))) return undefined;
    given = await findOrGive(deps, order, refund);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return (await recordRefusal(deps, refund, error.reason)) ? error : undefined;
  }
  deps.crashPoint('refunded-at-provider');
  const includesSome = isRest(refund) && refunds.some(({ id, state }) => id !== refund.id && state !== 'done');
  const all = includesSome ? await deps.payments.listRefunds(intentId) : undefined;
  await recordRefund(deps, refund, { given, all, card });
  if (await hasUndecidedPart(deps.db, order.id)) await endAlertAboutPart(deps, order.id, intentId);
  return undefined;
}

const askAgain = ({ db }: Deps, refund: OrderRefund) =>
  db.transaction().execute(async (trx) => {
    await lockOrder(trx, refund.order_id);
    return markAskedAgain(trx, refund);
  });

/** Ends the alert about a partial refund in the dashboard once ours account for all that the provider refunded. */
async function endAlertAboutPart(deps: Deps, orderId: string, intentId: string): Promise<void> {
  const all = await deps.payments.listRefunds(intentId);
  if (unknownCentsOf(all, await listRefunds(deps.db, [orderId])) > 0) return;
  await endAlertsOfOrder(deps.db, orderId, ['partial-refund'], deps.clock.now());
}

/**
 * Finds the provider's refund that already pays this refund, or creates it. Staff may have refunded in the dashboard
 * after ours failed, or the shop itself may have refunded after the backup that was restored.
 */
async function findOrGive(deps: Deps, order: OrderRow, refund: OrderRefund): Promise<ProviderRefund> {
  const intentId = order.payment_intent_id ?? '';
  const { id: refundId, attempt } = refund;
  const ours = await listRefunds(deps.db, [order.id]);
  const isBesideSettled = isRest(refund) && settledCentsOf(ours) > 0;
  let amountCents = isRest(refund) ? undefined : refund.cents;
  if (isBesideSettled || mayBeGivenByHand(refund)) {
    const sides = { ours, all: await deps.payments.listRefunds(intentId), totalCents: order.total_cents };
    const byHand = await findGivenByHand(deps.db, refund, sides);
    if (byHand) return byHand;
    if (isBesideSettled) amountCents = centsBesideSettled(refund, sides);
  }
  // The first attempt of a full refund needs no id: the order has no other refund.
  const isWhole = isRest(refund) && ours.length === 1 && attempt === 1;
  const oneOfSeveral = isWhole ? undefined : { refundId, attempt, amountCents };
  return deps.payments.refundIntent({ intentId, orderId: order.id, oneOfSeveral });
}

/**
 * Returns the amount to request when all that is left is refunded and other refunds were settled in another way. The
 * settled money is still at the provider and must stay there. So the amount is the order's total, less the settled
 * money, less all valid refunds at the provider, and less the pending partial refunds. Another process may be
 * requesting these at this moment, and including them would refund them twice.
 */
function centsBesideSettled(rest: OrderRefund, { ours, all, totalCents }: SidesOfOrder): number {
  const named = new Set(all.filter(isValid).map(({ refundId }) => refundId));
  const unsent = ours.filter(
    ({ id, state, provider_id }) => id !== rest.id && state === 'pending' && provider_id === null && !named.has(id),
  );
  return Math.min(rest.cents, totalCents - givenBackCentsOf(all, ours) - sumOf(unsent));
}

/** Whether staff may have given this refund in the dashboard: only a part can be refunded twice, not the whole rest. */
const mayBeGivenByHand = (refund: OrderRefund): boolean =>
  !isRest(refund) || refund.state === 'failed' || refund.attempt > 1;

type FailedRefund = BodyOf<'POST /admin/orders/:id/retry-refund'> & AdminChange;

/**
 * Requests a failed refund again, for an administrator. The next attempt has its own idempotency key; of two concurrent
 * calls, only one begins it. Throws NOT_FOUND and REFUND_REFUSED.
 */
export async function retryRefund(deps: Deps, input: FailedRefund): Promise<void> {
  const { orderId } = input;
  await changeOrder(deps, input, async (trx) => {
    const { refund } = await getFailedRefund(trx, input);
    await assertNotDisputed(trx, orderId);
    if (!(await beginNextAttempt(trx, refund))) throw noLongerFailed();
    const now = deps.clock.now();
    await endAlertsOfRefund(trx, refund.id, now, 'Tried again');
    await applyRefunds(trx, orderId, now);
    // The sweeper finishes the attempt if this process ends. After a failure, its next visit was up to an hour away.
    await updateOrder(trx, orderId, { sweep_at: nextSweep(now) });
    return { action: 'order.refund-retried', summary: `Tried the refund of ${formatPrice(refund.cents)} again` };
  });
  await tryFinishRefunds(deps, orderId);
}

/**
 * Records how an administrator settled a failed refund in another way, e.g. by a bank transfer. The refund is then done
 * and not requested again. What staff gave of it in the provider's dashboard becomes a refund of its own. Throws
 * NOT_FOUND, PAYMENT_PROVIDER_UNAVAILABLE, and REFUND_REFUSED also while a refund of all that is left may include it
 * (isSettleable).
 */
export async function settleRefund(deps: Deps, input: FailedRefund & { reason: string }): Promise<void> {
  const { reason: note } = input;
  const all = await followIfKnown(deps, input.orderId);
  const change = await changeOrder(deps, input, async (trx, before) => {
    const { refund: whole, refunds } = await getFailedRefund(trx, input);
    const byHand = await findPartByHand(trx, whole, { ours: refunds, all });
    const refund = byHand ? await splitOffGiven(trx, whole, { ...byHand, now: deps.clock.now() }) : whole;
    if (!isSettleable(refund, refunds)) {
      const message =
        'A refund of the remaining amount is in progress and may include this one. Wait until it has finished.';
      throw new AppError('REFUND_REFUSED', message);
    }
    const now = deps.clock.now();
    if (!(await markRefundSettled(trx, refund, { note, now }))) throw noLongerFailed();
    await endAlertsOfRefund(trx, refund.id, now, note);
    const after = await endRefund(deps, trx, before);
    const summary = `Gave ${formatPrice(refund.cents)} back in another way: ${note}`;
    return { action: 'order.refund-settled', summary, before, after };
  });
  countRefund(deps, change);
}

async function getFailedRefund(trx: Transaction, { orderId, refund: id, attempt }: FailedRefund) {
  const refunds = await listRefunds(trx, [orderId]);
  const found = refunds.find((one) => one.id === id);
  const refund = orNotFound(found, 'Refund not found');
  if (refund.state !== 'failed' || refund.attempt !== attempt) throw noLongerFailed();
  return { refund, refunds };
}

const noLongerFailed = () => new AppError('REFUND_REFUSED', 'This refund is being tried again, or is done');
