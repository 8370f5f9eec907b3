import { isDeepStrictEqual } from 'node:util';
import type { AlertKind } from '../../../shared/admin.ts';
import { daysBefore } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { FreezeRow, OrderRow } from '../../platform/database/tables.ts';
import { logFailure } from '../../platform/log.ts';
import type { PaymentClaim } from '../../platform/payments/payments.ts';
import { endAlertsOfOrder, hasAlert, hasUndecidedPart, raiseAlert } from '../admin/alerts.queries.ts';
import { withdrawCountedUnits } from '../catalog/counted-stock.queries.ts';
import { followWaitingUnits } from '../delivery/delivery.queries.ts';
import { withdrawSoldItems } from '../inventory/inventory.queries.ts';
import { followGivenAtProvider } from '../orders/follow-given-at-provider.ts';
import {
  endFreezes,
  followLoss,
  insertFreeze,
  listFreezes,
  listQuestionedIntents,
  markLostInPart,
  recordDispute,
} from '../orders/freezes.queries.ts';
import { findOrderByIntent, listAllUnits, lockOrder, updateOrder } from '../orders/orders.queries.ts';
import { countRefund, type RefundChange, reopenTakenRefunds, settleTakenRefunds } from '../orders/record-refund.ts';
import { leftAtProvider, listRefunds, settledCentsOf } from '../orders/refunds.queries.ts';

const messages = {
  dispute: 'a payment is disputed',
  inquiry: 'a bank inquires about a payment',
  'fraud-warning': 'a bank warns that a payment may be fraud',
};

/**
 * Applies the bank's claims against a payment to its order. The provider's list decides, not the sequence of its
 * events. An open dispute, an inquiry or a fraud warning freezes what the buyer has not seen. A won dispute or a closed
 * inquiry ends the freeze. A lost dispute withdraws the goods, unless only a part was lost, and settles the refunds that
 * the provider refused because of it. If a lost dispute is won after all, these refunds are requested again, and an
 * alert asks a person to decide about the rest of the money. What an administrator has unfrozen stays unfrozen. A list
 * that was overtaken by another call is not applied, but asked for again. Throws PAYMENT_PROVIDER_UNAVAILABLE while the
 * provider lists no claim, and BUSY when every list was overtaken.
 */
export async function followClaims(deps: Deps, order: OrderRow): Promise<void> {
  for (let lists = 0; lists < MAX_LISTS; lists += 1) {
    const known = await listFreezes(deps.db, order.id);
    const claims = await deps.payments.listClaims(order.payment_intent_id ?? '');
    if (claims.length === 0)
      throw new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider does not list the claim yet');
    if (await applyClaims(deps, order, claims, known)) return;
  }
  throw new AppError('BUSY', 'The claims against this payment are being recorded. Please try again.');
}

const MAX_LISTS = 5;

type Claims = readonly PaymentClaim[];

/** Returns false, without effect, if the freezes are no longer as they were before the provider was asked. */
async function applyClaims(deps: Deps, order: OrderRow, claims: Claims, known: readonly FreezeRow[]) {
  const lost = claims.filter(({ outcome }) => outcome === 'lost');
  const report = await deps.db.transaction().execute(async (trx) => {
    const locked = await lockOrder(trx, order.id);
    const freezes = await listFreezes(trx, order.id);
    if (!isDeepStrictEqual(freezes, known)) return undefined;
    if (lost.length === 0 || (await losePart(deps, trx, locked, { lost, freezes }))) {
      await recordClaims(deps, trx, locked, claims);
      const questioned = claimsForPerson(claims, await listFreezes(trx, order.id));
      return () => reportClaims(deps, order.id, claims, questioned);
    }
    await withdrawGoods(deps, trx, locked, claims);
    const settled = await settleTakenRefunds(deps, trx, { order: locked, lostCents: sumOfClaims(lost, locked) });
    return () => reportLoss(deps, locked, settled);
  });
  await report?.();
  return report !== undefined;
}

/** Whether the shop has won all of these claims. A warning is never decided. */
const areWon = (claims: Claims): boolean =>
  claims.some(({ outcome }) => outcome === 'won') &&
  claims.every(({ cause, outcome }) => cause === 'fraud-warning' || outcome === 'won');

/** Raises an alert about each claim that needs a person, and ends the alerts about the others. */
async function reportClaims(deps: Deps, orderId: string, claims: Claims, questioned: Claims): Promise<void> {
  const isWon = areWon(claims);
  for (const { id: subject, cause } of questioned) {
    await raiseAlert(deps, { kind: cause, subject, orderId, message: messages[cause] });
  }
  const mayEnd = isWon ? (['dispute', 'inquiry', 'fraud-warning'] as const) : (['inquiry'] as const);
  const ended: AlertKind[] = mayEnd.filter((kind) => !questioned.some(({ cause }) => cause === kind));
  if (isWon) ended.push('dispute-lost', 'dispute-lost-in-part');
  await endAlertsOfOrder(deps.db, orderId, ended, deps.clock.now());
}

/**
 * Records open claims as freezes of an order, which must be locked, and ends the freezes of won claims. If all are won,
 * raises an alert if the order had lost one.
 */
async function recordClaims(
  deps: Deps,
  trx: Transaction,
  { id: orderId, state }: OrderRow,
  claims: Claims,
): Promise<void> {
  const now = deps.clock.now();
  const isWon = areWon(claims);
  const before = await listFreezes(trx, orderId);
  // Only a delivered order has items to freeze. Freezes end in every state, because the order may be refunded since.
  for (const { id, cause, outcome } of state === 'fulfilled' ? claims : []) {
    const isRecorded = before.some((freeze) => freeze.id === id);
    if (outcome === 'open' || !isRecorded) await insertFreeze(trx, { id, cause, order_id: orderId, frozen_at: now });
  }
  const won = claims.filter(({ outcome }) => outcome === 'won').map(({ id }) => id);
  const endedNow = await endFreezes(trx, orderId, { outcome: 'won', now, claims: won });
  if (isWon && (endedNow > 0 || state !== 'fulfilled')) await endFreezes(trx, orderId, { outcome: 'won', now });
  if (state === 'disputed') await recordDisputes(trx, orderId, { claims, now });
  await followLoss(trx, orderId);

  const wasLost = before.some(({ id, outcome }) => outcome === 'lost' && won.includes(id));
  // A refund may have been settled with the money that the dispute took.
  const isSettled = wasLost && settledCentsOf(await listRefunds(trx, [orderId])) > 0;
  const isReopened = isWon && (await reopenTakenRefunds(deps, trx, orderId));
  if (isWon && (state === 'disputed' || isSettled || isReopened)) {
    const message = 'a lost dispute was won after all';
    await raiseAlert({ ...deps, db: trx }, { kind: 'dispute-reversed', subject: orderId, orderId, message });
  }
}

/** Returns the open claims that need a person; after a win, a warning only if it came later. */
const claimsForPerson = (claims: Claims, freezes: readonly FreezeRow[]) =>
  claims.filter(({ id, outcome }) => {
    const freeze = freezes.find((one) => one.id === id);
    // The provider lists a warning for ever, even after a win or an administrator has ended its freeze.
    const isEndedWarning = freeze?.cause === 'fraud-warning' && freeze.ended_at !== null;
    return outcome === 'open' && !isEndedWarning && (!areWon(claims) || freeze?.ended_at === null);
  });

/**
 * Keeps an order frozen when a dispute took only a part of the money that was left, and raises an alert, because only a
 * person knows which goods the part was for. After that alert the shop does not decide again, whatever was refunded
 * since. The order must be locked. Returns false, without effect, when all of the money was lost or nothing is delivered.
 */
async function losePart(
  deps: Deps,
  trx: Transaction,
  { id: orderId, state, total_cents, refunded_cents }: OrderRow,
  { lost, freezes }: { lost: Claims; freezes: readonly FreezeRow[] },
): Promise<boolean> {
  const message = 'a dispute of a part of a payment was lost';
  const recorded = freezes.filter(({ outcome }) => outcome === 'lost');
  const isKnown = lost.every(({ id }) => recorded.some((freeze) => freeze.id === id));
  const alerts = lost.map(({ id: subject }) => ({ kind: 'dispute-lost-in-part', subject, orderId, message }) as const);
  if (state !== 'fulfilled') {
    const raised = await Promise.all(alerts.map((alert) => hasAlert(trx, alert)));
    return state !== 'disputed' && isKnown && raised.every(Boolean);
  }
  const leftCents = leftAtProvider({ total_cents, refunded_cents }, await listRefunds(trx, [orderId]));
  if (!isKnown && sumOfClaims(lost, { total_cents }) >= leftCents) return false;
  const now = deps.clock.now();
  for (const { id, cause, cents = total_cents } of lost) {
    await insertFreeze(trx, { id, cause, order_id: orderId, frozen_at: now });
    await markLostInPart(trx, { id, cents });
  }
  for (const alert of alerts) await raiseAlert({ ...deps, db: trx }, alert);
  return true;
}

/** Adds up claims, in cents. A claim without an amount is of the whole payment. */
const sumOfClaims = (claims: Claims, { total_cents }: Pick<OrderRow, 'total_cents'>): number =>
  claims.reduce((sum, { cents = total_cents }) => sum + cents, 0);

/** Withdraws the goods of an order for ever, because the bank has decided for the cardholder. */
async function withdrawGoods(
  deps: Deps,
  trx: Transaction,
  { id: orderId, state }: OrderRow,
  claims: Claims,
): Promise<void> {
  const now = deps.clock.now();
  await endFreezes(trx, orderId, { outcome: 'lost', now });
  if (['disputed', 'fulfilled', 'refunding'].includes(state)) await recordDisputes(trx, orderId, { claims, now });
  if (state !== 'fulfilled') return;
  await withdrawCountedUnits(trx, await listAllUnits(trx, orderId), { now });
  await withdrawSoldItems(trx, orderId, { outcome: 'disputed', now });
  await followWaitingUnits(trx, orderId);
  // `sweep_at` stays: the sweeper still finishes the order's refunds.
  await updateOrder(trx, orderId, { state: 'disputed', disputed_at: now });
}

async function reportLoss(deps: Deps, order: OrderRow, settled: readonly RefundChange[]): Promise<void> {
  const { id: orderId } = order;
  for (const change of settled) countRefund(deps, change);
  await endAlertsOfOrder(deps.db, orderId, ['inquiry', 'dispute-reversed'], deps.clock.now());
  await raiseAlert(deps, { kind: 'dispute-lost', subject: orderId, orderId, message: 'a dispute was lost' });
  if (await hasUndecidedPart(deps.db, orderId)) await followGivenAtProvider(deps, order);
}

async function recordDisputes(
  trx: Transaction,
  orderId: string,
  { claims, now }: { claims: Claims; now: Date },
): Promise<void> {
  for (const { id, cause, outcome } of claims) {
    if (cause !== 'dispute') continue;
    await recordDispute(trx, { id, orderId, outcome: outcome === 'open' ? null : outcome, now });
  }
}

// An appeal takes months, and the cardholder may withdraw a dispute late.
const REVERSED_WITHIN_DAYS = 120;

/**
 * Follows claims whose webhooks may be lost: claims made since then, claims that the bank has yet to decide, and lost
 * disputes that it may reverse. Includes refunded orders, because a dispute would take their money a second time.
 */
export async function reconcileClaims(deps: Deps, since: Date): Promise<void> {
  const lostSince = daysBefore(deps.clock.now(), REVERSED_WITHIN_DAYS);
  const claimed = new Set(await listQuestionedIntents(deps.db, { lostSince }));
  for await (const intentId of deps.payments.listClaimedIntents({ since })) claimed.add(intentId);
  for (const intentId of claimed) {
    const order = await findOrderByIntent(deps.db, intentId);
    if (!order) continue;
    const failure = 'a claim of a bank could not be followed';
    await logFailure(deps, { orderId: order.id }, failure, () => followClaims(deps, order));
  }
}
