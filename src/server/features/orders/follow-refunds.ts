import type { Deps } from '../../deps.ts';
import { isValid, type ProviderRefund } from '../../platform/payments/payments.ts';
import { findAcknowledged, raiseAlert } from '../admin/alerts.queries.ts';
import { recordRefund } from './record-refund.ts';
import { isRest, listRefunds, type OrderRefund, settledCentsOf, sumOf } from './refunds.queries.ts';

/**
 * Compares the refunds of an order with the provider's list, which holds in whatever sequence its events come, and
 * records what has changed: a refund under way has succeeded or failed, one that was done has failed, or somebody gave
 * a failed one by hand. Raises an alert when less has gone back than our refunds say. Asks the provider for no refund.
 * Returns the provider's list.
 */
export async function followRefunds(
  deps: Deps,
  order: { id: string; payment_intent_id: string | null; total_cents: number },
): Promise<readonly ProviderRefund[]> {
  const intentId = order.payment_intent_id ?? '';
  const all = await deps.payments.listRefunds(intentId);
  for (const { id } of await listRefunds(deps.db, [order.id])) {
    // The refunds are read again, because the one before may have been matched with a refund that was given by hand.
    const ours = await listRefunds(deps.db, [order.id]);
    const refund = ours.find((one) => one.id === id);
    const given = refund && (await findRefundThatGives(deps, refund, { ours, all, totalCents: order.total_cents }));
    if (!refund || !given || !isNews(refund, given)) continue;
    const card = given.status === 'succeeded' ? await deps.payments.findCard(intentId) : undefined;
    await recordRefund(deps, refund, { given, all, card });
  }
  await alertIfShort(deps, order.id, { intentId, all });
  return all;
}

/**
 * Raises an alert when a refund has failed that none of ours follows, and its money is missing: a refund of the rest
 * counts what staff had given by hand before, and one of ours may be given by several.
 */
async function alertIfShort(
  deps: Deps,
  orderId: string,
  { intentId, all }: { intentId: string; all: readonly ProviderRefund[] },
): Promise<void> {
  // A refund that the provider has made since the list was read is left out.
  const counted = (await listRefunds(deps.db, [orderId])).filter(
    ({ state, provider_id }) => state !== 'failed' && all.some(({ id }) => id === provider_id),
  );
  const valid = all.filter(isValid);
  if (sumOf(valid) >= sumOf(counted)) return;
  // Each further failure is a subject of its own.
  const subject = `${intentId}/${all.length - valid.length}`;
  const message = 'less was given back than the refunds of an order say';
  await raiseAlert(deps, { kind: 'refund-failed', subject, orderId, message });
}

/** Lists what somebody gave back in the provider's dashboard: it names none of our refunds. */
export const listGivenByHand = (all: readonly ProviderRefund[], ours: readonly OrderRefund[]): ProviderRefund[] =>
  all.filter((one) => isValid(one) && !ours.some(({ id }) => id === one.refundId));

/** Returns the cents that the buyer got back: from the provider, and in another way. */
export const givenBackCentsOf = (all: readonly ProviderRefund[], ours: readonly OrderRefund[]): number =>
  sumOf(all.filter(isValid)) + settledCentsOf(ours);

/** Returns the cents of what was given by hand that no refund of ours accounts for. */
export const unknownCentsOf = (all: readonly ProviderRefund[], ours: readonly OrderRefund[]): number =>
  Math.max(0, givenBackCentsOf(all, ours) - sumOf(ours));

export interface BothSides {
  ours: readonly OrderRefund[];
  all: readonly ProviderRefund[];
  totalCents: number;
}

function isNews({ state, provider_id }: OrderRefund, given: ProviderRefund): boolean {
  if (state === 'done') return !isValid(given);
  if (state === 'failed') return isValid(given);
  return provider_id === null || given.status === 'succeeded' || !isValid(given);
}

/** Finds the provider's refund that gives this one of ours; for a failed one, the refund that somebody gave by hand. */
async function findRefundThatGives(deps: Deps, refund: OrderRefund, sides: BothSides) {
  const { id, state, provider_id: providerId, settled_note: settled } = refund;
  if (settled !== null) return undefined;
  if (state === 'failed') {
    return findRestThatGives(refund, sides) ?? findGivenByHand(refund, sides, await countsByHandSince(deps, refund));
  }
  if (providerId !== null) return sides.all.find((one) => one.id === providerId);
  const named = sides.all.filter(({ refundId }) => refundId === id);
  if (state === 'pending') return named.find(isValid);
  // The refund was done before the shop kept the provider's id.
  return named[0] ?? (isRest(refund) ? sides.all.find(({ refundId }) => refundId === undefined) : undefined);
}

/** Finds the refund of all that was left which gave this failed one, too: ours had come back while that was asked for. */
function findRestThatGives({ id, cents }: OrderRefund, { ours, all }: BothSides): ProviderRefund | undefined {
  const others = ours.filter((one) => one.id !== id);
  const countedBy = (given: ProviderRefund) => others.filter(({ provider_id }) => provider_id === given.id);
  return all.filter(isValid).find((given) => {
    const counted = countedBy(given);
    const givesRest = counted.some((one) => isRest(one) && one.state === 'done');
    return givesRest && given.cents - sumOf(counted) >= cents;
  });
}

/**
 * Since when a refund that was given by hand counts for this one of ours: after the newest part of which somebody has
 * acknowledged that it was for something else, also if ours is entered later: staff may have given it first. For a refund
 * of all that is left, everything counts.
 */
export async function countsByHandSince({ db }: Pick<Deps, 'db'>, refund: OrderRefund): Promise<Date> {
  const acknowledgedAt = isRest(refund) ? undefined : await findAcknowledged(db, 'partial-refund', refund.order_id);
  return acknowledgedAt ?? new Date(0);
}

/**
 * Finds the refund in the provider's dashboard by which staff gave this one of ours, not before `since`
 * (countsByHandSince). It has no id of ours, so it is found by its amount: what was given by hand, less what our other
 * refunds account for, must cover this refund. One refund there may give several of ours. The first choice is one of
 * which exactly this refund's cents are left, then the one with the most left. After a restore, a refund that the shop
 * itself gave since the backup is found in the same way when an administrator enters it again, so it is not given twice.
 */
export function findGivenByHand(
  refund: OrderRefund,
  { ours, all, totalCents }: BothSides,
  since: Date,
): ProviderRefund | undefined {
  const valid = all.filter(isValid);
  const named = new Set(valid.map(({ refundId }) => refundId));
  if (named.has(refund.id)) return undefined;
  const byHand = listGivenByHand(all, ours).filter(({ createdAt }) => createdAt >= since);
  const counted = ours.filter((one) => {
    if (one.state === 'failed' || one.settled_note !== null) return false;
    if (one.provider_id !== null) return byHand.some(({ id }) => id === one.provider_id);
    // The refund was done before the shop kept the provider's id.
    return one.state === 'done' && !named.has(one.id) && (one.finished_at ?? since) >= since;
  });
  const isWhole = isRest(refund) && givenBackCentsOf(all, ours) >= totalCents;
  if (!isWhole && sumOf(byHand) - sumOf(counted) < refund.cents) return undefined;
  const leftOf = ({ id, cents }: ProviderRefund) =>
    cents - sumOf(counted.filter(({ provider_id }) => provider_id === id));
  const free = byHand.filter((one) => leftOf(one) > 0).sort((one, other) => leftOf(other) - leftOf(one));
  return free.find((one) => leftOf(one) === refund.cents) ?? free[0];
}
