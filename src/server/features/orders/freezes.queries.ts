import { sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { columnOf, type Database, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { FreezeRow, OrderRow } from '../../platform/database/tables.ts';

/**
 * Freezes an order for an open claim of the bank. An existing freeze stays unchanged, unless an inquiry has become a
 * dispute, or a won dispute or inquiry is open again: then the order is frozen again.
 */
export const insertFreeze = (trx: Transaction, freeze: Pick<FreezeRow, 'id' | 'order_id' | 'cause' | 'frozen_at'>) =>
  // An outdated list of the provider may still call a dispute an inquiry, and a warning stays listed after a win.
  sql`
    ${trx.insertInto('order_freezes').values({ ...freeze, ended_at: null, outcome: null })}
    ON CONFLICT (id) DO UPDATE SET cause = excluded.cause, frozen_at = excluded.frozen_at, ended_at = NULL, outcome = NULL
    WHERE order_freezes.cause = 'inquiry' AND excluded.cause = 'dispute' OR order_freezes.outcome = 'won'
      AND order_freezes.cause = excluded.cause AND excluded.cause <> 'fraud-warning'`.execute(trx);

// A dispute or an inquiry continues after an administrator has unfrozen the items, until the bank has decided.
const isOngoing = sql<boolean>`(ended_at IS NULL OR cause IN ('dispute', 'inquiry') AND outcome = 'lifted')`;

/**
 * Records the state of a dispute of an order whose goods were withdrawn after a lost dispute. Nothing is left to
 * freeze, but an administrator may refund the order once all of its disputes are won (isReversed).
 */
export const recordDispute = (
  trx: Transaction,
  { id, orderId, outcome, now }: { id: string; orderId: string; outcome: FreezeRow['outcome']; now: Date },
) =>
  sql`
    INSERT INTO order_freezes (id, order_id, cause, frozen_at, ended_at, outcome)
    VALUES (${id}, ${orderId}, 'dispute', ${now}, ${outcome === null ? null : now}, ${outcome})
    ON CONFLICT (id) DO UPDATE SET cause = excluded.cause, ended_at = excluded.ended_at, outcome = excluded.outcome,
      frozen_at = CASE WHEN order_freezes.outcome = 'won' THEN excluded.frozen_at ELSE order_freezes.frozen_at END
    WHERE order_freezes.cause <> excluded.cause
      OR order_freezes.outcome IS DISTINCT FROM excluded.outcome`.execute(trx);

/**
 * Records that a dispute was lost in part. Does not change whether the freeze is open: only an administrator ends it.
 * The bank has decided, so the rest may be refunded.
 */
export const markLostInPart = (trx: Transaction, { id, cents }: { id: string; cents: number }) =>
  sql`
    UPDATE order_freezes SET outcome = 'lost', lost_cents = ${cents}
    WHERE id = ${id} AND (outcome, lost_cents) IS DISTINCT FROM ('lost', ${cents})`.execute(trx);

/**
 * Updates what an order, which must be locked, has lost to disputes of a part. A refund that was settled in another way
 * may be the part that a dispute has taken, so it is subtracted.
 */
export const followLoss = (trx: Transaction, orderId: string) =>
  sql`
    UPDATE orders SET lost_cents = least(greatest(taken.cents - settled.cents, 0), total_cents - refunded_cents)
    FROM (SELECT coalesce(sum(lost_cents), 0) AS cents FROM order_freezes
        WHERE order_id = ${orderId} AND outcome = 'lost') AS taken,
      (SELECT coalesce(sum(cents), 0) AS cents FROM refunds
        WHERE order_id = ${orderId} AND state = 'done' AND settled_note IS NOT NULL) AS settled
    WHERE id = ${orderId} AND (taken.cents > 0 OR lost_cents > 0)`.execute(trx);

/**
 * Ends the open freezes of an order, or only those of `claims`, and returns their number. A decision of the bank also
 * applies to a claim whose items an administrator has unfrozen, and a win also to a claim that was lost before. A win
 * does not end the freeze of a restore.
 */
export async function endFreezes(
  trx: Transaction,
  orderId: string,
  { outcome, now, claims }: { outcome: NonNullable<FreezeRow['outcome']>; now: Date; claims?: readonly string[] },
): Promise<number> {
  const ended = await rowsOf(trx)`
    UPDATE order_freezes SET ended_at = ${now},
      outcome = ${outcome === 'lifted' ? sql`coalesce(outcome, 'lifted')` : outcome} WHERE order_id = ${orderId}
      AND ${ends[outcome]}
      AND ${claims ? sql`id = ANY (${claims})` : sql`true`}
    RETURNING id`;
  return ended.length;
}

const ends = {
  lifted: sql`ended_at IS NULL`,
  won: sql`(${isOngoing} OR outcome = 'lost') AND cause <> 'restore'`,
  lost: isOngoing,
};

/** Lists all freezes of an order, also the ended ones, oldest first. */
export const listFreezes = (db: Database, orderId: string) => rowsOf<FreezeRow>(db)`
  SELECT id, order_id, cause, frozen_at, ended_at, outcome, lost_cents FROM order_freezes
  WHERE order_id = ${orderId} ORDER BY frozen_at, id`;

// The most restrictive cause comes first: during a dispute nothing is refunded.
const causes = ['dispute', 'inquiry', 'fraud-warning', 'restore'] as const;

/** Returns why the unseen items of an order with these freezes are frozen; undefined when they are not. */
export const causeOf = (freezes: readonly FreezeRow[]): FreezeRow['cause'] | undefined =>
  causes.find((cause) => freezes.some((freeze) => freeze.cause === cause && freeze.ended_at === null));

export async function isHeldBack(db: Database, orderId: string): Promise<boolean> {
  const freezes = await listFreezes(db, orderId);
  return freezes.some(({ cause, ended_at }) => cause === 'restore' && ended_at === null);
}

/** Whether an order is frozen, or its items are unfrozen while it is disputed or after a part of its money was lost. */
export const isFrozenOrDisputed = (orderId: string) =>
  sql<boolean>`EXISTS (SELECT FROM order_freezes WHERE order_id = ${orderId} AND (ended_at IS NULL OR cause = 'dispute' AND outcome IN ('lifted', 'lost')))`;

export const isOpenDispute = ({ cause, outcome }: FreezeRow): boolean =>
  cause === 'dispute' && (outcome === null || outcome === 'lifted');

/** Whether the shop has won all disputes of an order, e.g. after the bank reversed a lost one. */
export function isReversed(freezes: readonly FreezeRow[]): boolean {
  const disputes = freezes.filter(({ cause }) => cause === 'dispute');
  return disputes.length > 0 && disputes.every(({ outcome }) => outcome === 'won');
}

/** Whether a time is not before the withdrawal of the order's goods by a lost dispute. */
export const isAfterLoss = (at: Date | null, { disputed_at: lostAt }: Pick<OrderRow, 'disputed_at'>): boolean =>
  at !== null && lostAt !== null && at >= lostAt;

/** Whether a dispute of an order is undecided. Until it is decided, the provider refunds nothing. */
export const isDisputed = async (db: Database, orderId: string): Promise<boolean> =>
  (await listFreezes(db, orderId)).some(isOpenDispute);

/**
 * Lists the intents with an undecided dispute or inquiry that the shop knows of, those of delivered orders with an open
 * fraud warning, and those with a dispute lost since then, which may be reversed. The alert is queried, too, because an
 * order that was refunded before its dispute has no freeze.
 */
export const listQuestionedIntents = (db: Database, { lostSince }: { lostSince: Date }) => columnOf<string>(db)`
    SELECT payment_intent_id FROM order_freezes JOIN orders ON orders.id = order_id
    WHERE payment_intent_id IS NOT NULL AND (outcome = 'lost' AND ended_at >= ${lostSince}
      OR ${isOngoing} AND (cause IN ('dispute', 'inquiry') OR cause = 'fraud-warning' AND state = 'fulfilled'))
    UNION
    SELECT payment_intent_id FROM alerts JOIN orders ON orders.id = order_id
    WHERE kind = 'dispute' AND ended_at IS NULL AND payment_intent_id IS NOT NULL
    UNION
    SELECT payment_intent_id FROM orders
    WHERE state = 'disputed' AND disputed_at >= ${lostSince} AND payment_intent_id IS NOT NULL`;

const messages = {
  bank:
    'The bank of the card is asking about this payment, so what was not opened yet is locked until it has decided. ' +
    'Please contact support.',
  restore:
    'We are checking this order, so what was not opened yet is locked until that is done. Please contact support.',
};

/**
 * Returns the error that the buyer of a frozen order gets for unseen items; null when the order is not frozen. A caller
 * that shows items must hold the order's lock, which freezing takes, too.
 */
export async function findRefusal(db: Database, orderId: string) {
  const cause = causeOf(await listFreezes(db, orderId));
  if (cause === undefined) return null;
  return { code: 'ITEM_FROZEN' as const, message: cause === 'restore' ? messages.restore : messages.bank };
}

/** Throws ITEM_FROZEN for an order that is frozen by a bank's claim or by a restore. */
export async function assertNotFrozen(db: Database, orderId: string): Promise<void> {
  const refusal = await findRefusal(db, orderId);
  if (refusal) throw new AppError(refusal.code, refusal.message);
}

/** Throws REFUND_REFUSED while the payment is disputed: after a refund, the bank could take the money a second time. */
export async function assertNotDisputed(trx: Transaction, orderId: string): Promise<void> {
  if (await isDisputed(trx, orderId)) {
    throw new AppError('REFUND_REFUSED', 'The payment is disputed. It cannot be refunded until the bank has decided.');
  }
}

/** Throws ITEM_FROZEN for an order that a restore holds back, because it may have been refunded since the backup. */
export async function assertNotHeldBack(trx: Transaction, orderId: string): Promise<void> {
  if (await isHeldBack(trx, orderId)) throw new AppError('ITEM_FROZEN', messages.restore);
}
