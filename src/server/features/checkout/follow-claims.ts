import { daysBefore } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentClaim } from '../../platform/payments/payments.ts';
import { endAlertsOfOrder, raiseAlert } from '../admin/alerts.queries.ts';
import { withdrawCountedUnits } from '../catalog/counted-stock.queries.ts';
import { followWaitingUnits } from '../delivery/delivery.queries.ts';
import { withdrawSoldItems } from '../inventory/inventory.queries.ts';
import {
  endFreezes,
  insertFreeze,
  listQuestionedIntents,
  markLostInPart,
  recordDispute,
} from '../orders/freezes.queries.ts';
import { findOrderByIntent, listAllUnits, lockOrder, updateOrder } from '../orders/orders.queries.ts';

const messages = {
  dispute: 'a payment is disputed',
  inquiry: 'a bank inquires about a payment',
  'fraud-warning': 'a bank warns that a payment may be fraud',
};

/**
 * Brings an order in line with what the bank says about its payment. The provider's list decides, in whatever sequence
 * its events come: an open dispute, an inquiry or a fraud warning freezes what the buyer has not seen, a dispute that is
 * won or an inquiry that is closed ends that, and a lost dispute withdraws the goods, unless only a part was lost. When a
 * lost one is won after all, a person decides what becomes of the money. What an administrator has unfrozen stays
 * unfrozen. Throws PAYMENT_PROVIDER_UNAVAILABLE while the provider lists no claim.
 */
export async function followClaims(deps: Deps, order: OrderRow): Promise<void> {
  const claims = await deps.payments.listClaims(order.payment_intent_id ?? '');
  if (claims.length === 0)
    throw new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider does not list the claim yet');
  const lost = claims.filter(({ outcome }) => outcome === 'lost');
  if (lost.length > 0 && !(await losePart(deps, order.id, lost))) return loseDispute(deps, order.id, claims);

  const won = claims.filter(({ outcome }) => outcome === 'won').map(({ id }) => id);
  const isWon = won.length > 0 && claims.every(({ cause, outcome }) => cause === 'fraud-warning' || outcome === 'won');
  const open = isWon ? [] : claims.filter(({ outcome }) => outcome === 'open');
  const isReversed = await deps.db.transaction().execute(async (trx) => {
    const { state } = await lockOrder(trx, order.id);
    const now = deps.clock.now();
    // Only a delivered order has items to freeze. Its freezes end in every state: it may be refunded since.
    const toFreeze = state === 'fulfilled' ? open : [];
    for (const { id, cause } of toFreeze) await insertFreeze(trx, { id, cause, order_id: order.id, frozen_at: now });
    if (won.length > 0) await endFreezes(trx, order.id, { outcome: 'won', now, ...(!isWon && { claims: won }) });
    if (state === 'disputed') await recordDisputes(trx, order.id, { claims, now });
    return isWon && state === 'disputed';
  });
  for (const { id: subject, cause } of open) {
    await raiseAlert(deps, { kind: cause, subject, orderId: order.id, message: messages[cause] });
  }
  if (!open.some(({ cause }) => cause === 'inquiry'))
    await endAlertsOfOrder(deps.db, order.id, ['inquiry'], deps.clock.now());
  if (!isWon) return;
  await endAlertsOfOrder(
    deps.db,
    order.id,
    ['dispute', 'fraud-warning', 'dispute-lost', 'dispute-lost-in-part'],
    deps.clock.now(),
  );
  if (!isReversed) return;
  const message = 'a lost dispute was won after all';
  await raiseAlert(deps, { kind: 'dispute-reversed', subject: order.id, orderId: order.id, message });
}

/**
 * Keeps an order frozen of which a part of what is left was lost, with an alert: which goods that was for, only a person
 * knows. False, without effect, when all that is left was lost, or nothing is delivered.
 */
async function losePart(deps: Deps, orderId: string, lost: readonly PaymentClaim[]): Promise<boolean> {
  const isPart = await deps.db.transaction().execute(async (trx) => {
    const { state, total_cents, refunded_cents } = await lockOrder(trx, orderId);
    const lostCents = lost.reduce((sum, { cents = total_cents }) => sum + cents, 0);
    if (state !== 'fulfilled' || lostCents >= total_cents - refunded_cents) return false;
    const now = deps.clock.now();
    for (const { id, cause } of lost) {
      await insertFreeze(trx, { id, cause, order_id: orderId, frozen_at: now });
      await markLostInPart(trx, id);
    }
    return true;
  });
  const message = 'a dispute of a part of a payment was lost';
  for (const { id } of isPart ? lost : []) {
    await raiseAlert(deps, { kind: 'dispute-lost-in-part', subject: id, orderId, message });
  }
  return isPart;
}

/** Withdraws the goods of an order for good, because the bank has decided for the cardholder. */
export async function loseDispute(deps: Deps, orderId: string, claims: readonly PaymentClaim[] = []): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    const now = deps.clock.now();
    await endFreezes(trx, orderId, { outcome: 'lost', now });
    if (order.state === 'disputed' || order.state === 'fulfilled') await recordDisputes(trx, orderId, { claims, now });
    if (order.state !== 'fulfilled') return;
    await withdrawCountedUnits(trx, await listAllUnits(trx, orderId), { now });
    await withdrawSoldItems(trx, orderId, { outcome: 'disputed', now });
    await followWaitingUnits(trx, orderId);
    // `sweep_at` stays: the sweeper still finishes the order's refunds.
    await updateOrder(trx, orderId, { state: 'disputed', disputed_at: now });
  });
  await endAlertsOfOrder(deps.db, orderId, ['inquiry', 'dispute-reversed'], deps.clock.now());
  await raiseAlert(deps, { kind: 'dispute-lost', subject: orderId, orderId, message: 'a dispute was lost' });
}

async function recordDisputes(
  trx: Transaction,
  orderId: string,
  { claims, now }: { claims: readonly PaymentClaim[]; now: Date },
): Promise<void> {
  for (const { id, cause, outcome } of claims) {
    if (cause !== 'dispute') continue;
    await recordDispute(trx, { id, orderId, outcome: outcome === 'open' ? null : outcome, now });
  }
}

// An appeal takes months, and the cardholder may withdraw a dispute late.
const REVERSED_WITHIN_DAYS = 120;

/**
 * Follows claims whose webhooks may be lost: the claims made since then, those that the bank has yet to decide, and those
 * that it may reverse. The order may be refunded already: then a dispute takes its money a second time.
 */
export async function reconcileClaims(deps: Deps, since: Date): Promise<void> {
  const lostSince = daysBefore(deps.clock.now(), REVERSED_WITHIN_DAYS);
  const claimed = new Set(await listQuestionedIntents(deps.db, { lostSince }));
  for await (const intentId of deps.payments.listClaimedIntents({ since })) claimed.add(intentId);
  for (const intentId of claimed) {
    const order = await findOrderByIntent(deps.db, intentId);
    if (!order) continue;
    try {
      await followClaims(deps, order);
    } catch (error) {
      deps.log.error({ err: error, orderId: order.id }, 'a claim of a bank could not be followed');
    }
  }
}
