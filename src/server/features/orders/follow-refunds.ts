import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { isValid, type ProviderRefund, unlessRefused } from '../../platform/payments/payments.ts';
import { endAlertsOfOrder, listAcknowledgedParts, raiseAlert } from '../admin/alerts.queries.ts';
import { isReversed, listFreezes } from './freezes.queries.ts';
import { findOrder } from './orders.queries.ts';
import { recordRefund } from './record-refund.ts';
import { isRest, listRefunds, type OrderRefund, settledCentsOf, sumOf } from './refunds.queries.ts';

type RefundedOrder = Pick<OrderRow, 'id' | 'payment_intent_id' | 'total_cents'>;

/**
 * Compares the refunds of an order with the provider's list, which is right whatever the sequence of its events, and
 * records what has changed: a refund under way has succeeded or failed, a finished refund has failed, or staff have
 * given a failed refund in the dashboard. Raises an alert when less was refunded than our refunds say, or more than was
 * paid. Requests no refund. Returns the provider's list.
 */
export async function followRefunds(deps: Deps, order: RefundedOrder): Promise<readonly ProviderRefund[]> {
  const intentId = order.payment_intent_id ?? '';
  const all = await deps.payments.listRefunds(intentId);
  for (const { id } of await listRefunds(deps.db, [order.id])) {
    // Read again: the previous iteration may have matched another of our refunds with one in the dashboard.
    const ours = await listRefunds(deps.db, [order.id]);
    const refund = ours.find((one) => one.id === id);
    const given = refund && (await findRefundThatGives(deps, refund, { ours, all, totalCents: order.total_cents }));
    if (!refund || !given || !isNews(refund, given)) continue;
    const card = given.status === 'succeeded' ? await deps.payments.findCard(intentId) : undefined;
    await recordRefund(deps, refund, { given, all, card });
  }
  const ours = await listRefunds(deps.db, [order.id]);
  await alertIfShort(deps, order, { ours, all });
  await alertIfTwice(deps, order, { ours, all });
  return all;
}

/** The same by the order's id. Returns no refunds if the provider does not know the payment, e.g. after a change of it. */
export async function followIfKnown(deps: Deps, orderId: string): Promise<readonly ProviderRefund[]> {
  const order = await findOrder(deps.db, orderId);
  if (!order?.payment_intent_id) return [];
  return (await followRefunds(deps, order).catch(unlessRefused)) ?? [];
}

/**
 * Raises an alert when a refund at the provider has failed, none of ours follows it, and its money is missing: a refund
 * of the rest counts earlier ones of the dashboard, and several of those may pay one of ours.
 */
async function alertIfShort(
  deps: Deps,
  { id: orderId, payment_intent_id: intentId }: RefundedOrder,
  { ours, all }: BothSides,
): Promise<void> {
  // Leaves out refunds that the provider has made since the list was read.
  const counted = ours.filter(
    ({ state, provider_id }) => state !== 'failed' && all.some(({ id }) => id === provider_id),
  );
  const valid = all.filter(isValid);
  if (sumOf(valid) >= sumOf(counted)) return;
  // Each further failure has its own subject, so that it raises a new alert.
  const subject = `${intentId}/${all.length - valid.length}`;
  const message = 'less was given back than the refunds of an order say';
  await raiseAlert(deps, { kind: 'refund-failed', subject, orderId, message });
}

/**
 * Raises an alert when more than was paid has gone back, and ends it when such a refund has failed: one administrator
 * settled a refund in another way, and another gave it in the dashboard. No alert for a dispute that was won after all:
 * the money of a refund that staff settled with the dispute's is with the shop again, and they owe it to the buyer.
 */
async function alertIfTwice(
  deps: Deps,
  { id: orderId, payment_intent_id: intentId, total_cents: totalCents }: RefundedOrder,
  { ours, all }: BothSides,
): Promise<void> {
  if (settledCentsOf(ours) === 0 || isReversed(await listFreezes(deps.db, orderId))) return;
  const givenCents = givenBackCentsOf(all, ours);
  if (givenCents <= totalCents) {
    await endAlertsOfOrder(deps.db, orderId, ['refunded-twice'], deps.clock.now());
    return;
  }
  const message = 'more was given back than was paid';
  await raiseAlert(deps, { kind: 'refunded-twice', subject: `${intentId}/${givenCents}`, orderId, message });
}

/**
 * Lists the refunds that staff gave in the provider's dashboard: their metadata names none of our refunds, or one that
 * was settled in another way, so that its money was given twice.
 */
export const listGivenByHand = (all: readonly ProviderRefund[], ours: readonly OrderRefund[]): ProviderRefund[] =>
  all.filter(
    (one) => isValid(one) && !ours.some(({ id, settled_note }) => id === one.refundId && settled_note === null),
  );

/** Returns the cents that were refunded by the provider or in another way. */
export const givenBackCentsOf = (all: readonly ProviderRefund[], ours: readonly OrderRefund[]): number =>
  sumOf(all.filter(isValid)) + settledCentsOf(ours);

/** Returns the cents refunded in the dashboard that no refund of ours accounts for. */
export const unknownCentsOf = (all: readonly ProviderRefund[], ours: readonly OrderRefund[]): number =>
  Math.max(0, givenBackCentsOf(all, ours) - sumOf(ours));

export interface BothSides {
  ours: readonly OrderRefund[];
  all: readonly ProviderRefund[];
}

export interface SidesOfOrder extends BothSides {
  totalCents: number;
}

function isNews({ state, provider_id }: OrderRefund, given: ProviderRefund): boolean {
  if (state === 'done') return !isValid(given);
  if (state === 'failed') return isValid(given);
  return provider_id === null || given.status === 'succeeded' || !isValid(given);
}

/**
 * Finds the provider's refund that pays ours; for a failed one, a later attempt of the shop that a restored backup does
 * not know, or the refund that staff gave in the dashboard.
 */
async function findRefundThatGives(deps: Deps, refund: OrderRefund, sides: SidesOfOrder) {
  const { id, state, provider_id: providerId, settled_note: settled } = refund;
  if (settled !== null) return undefined;
  const named = sides.all.filter(({ refundId }) => refundId === id);
  if (state === 'failed') {
    const given = named.find(isValid) ?? findRestThatGives(refund, sides);
    return given ?? findGivenByHand(deps.db, refund, sides);
  }
  if (providerId !== null) return sides.all.find((one) => one.id === providerId);
  if (state === 'pending') return named.find(isValid);
  // The refund was done before the shop kept the provider's id.
  return named[0] ?? (isRest(refund) ? sides.all.find(({ refundId }) => refundId === undefined) : undefined);
}

/** Finds a refund of the rest that includes this refund, which failed while that one was being requested. */
function findRestThatGives({ id, cents }: OrderRefund, { ours, all }: BothSides): ProviderRefund | undefined {
  const others = ours.filter((one) => one.id !== id);
  const countedBy = (given: ProviderRefund) => others.filter(({ provider_id }) => provider_id === given.id);
  return all.filter(isValid).find((given) => {
    const counted = countedBy(given);
    const givesRest = counted.some((one) => isRest(one) && one.state === 'done');
    return givesRest && given.cents - sumOf(counted) >= cents;
  });
}

/** Refunds in the dashboard that were for something else: these, and those before them. */
interface Acknowledged {
  providerIds: readonly string[];
  /** When the last alert about them was raised, by the shop's clock. */
  at: Date;
  /** When the last alert that names no refund was raised, as earlier versions did. */
  unnamedAt: Date;
}

const NEVER = new Date(0);

/**
 * Reads which refunds in the dashboard do not count for this refund of ours: those of the acknowledged alerts about
 * partial refunds. Any other may be older than ours, because staff may refund there first. For a refund of all that is
 * left, all of them count.
 */
async function readAcknowledged(db: Database, refund: OrderRefund): Promise<Acknowledged> {
  const alerts = isRest(refund) ? [] : await listAcknowledgedParts(db, refund.order_id);
  const unnamed = alerts.find(({ subject }) => /\/\d+$/.test(subject));
  return {
    providerIds: alerts.map(({ subject }) => subject.split('/')[1] ?? ''),
    at: alerts[0]?.raised_at ?? NEVER,
    unnamedAt: unnamed?.raised_at ?? NEVER,
  };
}

/**
 * Lists the refunds of the provider's list that are newer than the acknowledged ones. The list is newest first; times
 * of the provider and of the shop are compared only for alerts of earlier versions, which name the sum and no refund.
 */
function listNewer(
  all: readonly ProviderRefund[],
  { providerIds, unnamedAt }: Acknowledged,
): readonly ProviderRefund[] {
  const newest = all.findIndex(({ id }) => providerIds.includes(id));
  const newer = newest === -1 ? all : all.slice(0, newest);
  return newer.filter(({ createdAt }) => createdAt >= unnamedAt);
}

/**
 * Finds the refund in the provider's dashboard, newer than the acknowledged ones, by which staff paid this refund of
 * ours. It has no refund_id of ours, so it is found by its amount: the refunds in the dashboard, less what our other
 * refunds account for, must cover this refund. One refund there may pay several of ours. Prefers a refund with exactly
 * this amount left, then the one with the most left. After a restore, a refund that the shop itself gave since the
 * backup is found in the same way when an administrator enters it again, so it is not given twice.
 */
export async function findGivenByHand(
  db: Database,
  refund: OrderRefund,
  { ours, all, totalCents }: SidesOfOrder,
): Promise<ProviderRefund | undefined> {
  const { cents, free, leftOf } = await readFreeByHand(db, refund, { ours, all });
  const isWhole = isRest(refund) && givenBackCentsOf(all, ours) >= totalCents;
  if (!isWhole && cents < refund.cents) return undefined;
  return free.find((one) => leftOf(one) === refund.cents) ?? free[0];
}

/** Finds what staff paid of a failed refund, if less than all. Undefined for units: their credit note sets the sum. */
export async function findPartByHand(
  db: Database,
  refund: OrderRefund,
  sides: BothSides,
): Promise<{ given: ProviderRefund; cents: number } | undefined> {
  const { cents, free } = await readFreeByHand(db, refund, sides);
  const [given] = free;
  if (refund.units.length > 0 || !given || cents <= 0 || cents >= refund.cents) return undefined;
  return { given, cents };
}

/**
 * Finds what staff refunded in the dashboard beyond our other refunds: `cents` in all, in the refunds `free`, the largest
 * first. `leftOf` returns the cents of one of them that no refund of ours accounts for.
 */
async function readFreeByHand(db: Database, refund: OrderRefund, { ours, all }: BothSides) {
  const acknowledged = await readAcknowledged(db, refund);
  const valid = all.filter(isValid);
  const named = new Set(valid.map(({ refundId }) => refundId));
  const byHand = named.has(refund.id) ? [] : listGivenByHand(listNewer(all, acknowledged), ours);
  const counted = ours.filter((one) => {
    if (one.settled_note !== null) return false;
    if (one.provider_id !== null) return byHand.some(({ id }) => id === one.provider_id);
    // The refund was done before the shop kept the provider's id.
    return one.state === 'done' && !named.has(one.id) && (one.finished_at ?? acknowledged.at) >= acknowledged.at;
  });
  const leftOf = ({ id, cents }: ProviderRefund) =>
    cents - sumOf(counted.filter(({ provider_id }) => provider_id === id));
  const free = byHand.filter((one) => leftOf(one) > 0).sort((one, other) => leftOf(other) - leftOf(one));
  return { cents: sumOf(byHand) - sumOf(counted), free, leftOf };
}
