import { sql } from 'kysely';
import { type Database, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { FreezeRow, OrderRow } from '../../platform/database/tables.ts';

/**
 * Freezes an order for an open claim of the bank. A freeze that is recorded already stays as it is, but an inquiry that
 * has become a dispute, and a dispute that is open again after it was won, freeze the order anew.
 */
export const insertFreeze = (trx: Transaction, freeze: Pick<FreezeRow, 'id' | 'order_id' | 'cause' | 'frozen_at'>) =>
  trx
    .insertInto('order_freezes')
    .values({ ...freeze, ended_at: null, outcome: null })
    .onConflict((key) =>
      key
        .column('id')
        .doUpdateSet({ cause: freeze.cause, frozen_at: freeze.frozen_at, ended_at: null, outcome: null })
        .where(isAnew(freeze)),
    )
    .execute();

// An older list of the provider's still says inquiry of what is a dispute; a warning stays listed after a win.
const isAnew = ({ cause }: Pick<FreezeRow, 'cause'>) =>
  sql<boolean>`(order_freezes.cause = 'inquiry' AND ${cause} = 'dispute'
    OR order_freezes.cause = ${cause} AND ${cause} <> 'fraud-warning' AND order_freezes.outcome = 'won')`;

// A dispute or an inquiry goes on after an administrator has unfrozen the items: it ends when the bank has decided.
const isOngoing = sql<boolean>`(ended_at IS NULL OR cause IN ('dispute', 'inquiry') AND outcome = 'lifted')`;

/**
 * Records how a dispute stands of an order whose goods were withdrawn because a dispute was lost: nothing is left to
 * freeze, but an administrator may refund the order once each of its disputes is won (isReversed).
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
    WHERE order_freezes.cause <> excluded.cause OR order_freezes.outcome IS DISTINCT FROM excluded.outcome`.execute(
    trx,
  );

/**
 * Records that a dispute was lost in part. Its freeze stays until an administrator ends it, or ended if one has ended it
 * already; the bank has decided, so that the rest may be refunded.
 */
export const markLostInPart = (trx: Transaction, id: string) =>
  sql`UPDATE order_freezes SET outcome = 'lost' WHERE id = ${id} AND outcome IS DISTINCT FROM 'lost'`.execute(trx);

/**
 * Ends the open freezes of an order, or those of `claims`, and returns how many there were. The bank's decision also ends
 * a claim whose items are unfrozen already, and a win one that was lost before. It does not end the freeze of a restore.
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
  SELECT id, order_id, cause, frozen_at, ended_at, outcome FROM order_freezes
  WHERE order_id = ${orderId} ORDER BY frozen_at, id`;

// What forbids most comes first: during a dispute nothing is refunded.
const causes = ['dispute', 'inquiry', 'fraud-warning', 'restore'] as const;

/** Returns why the unseen items of an order with these freezes are frozen; undefined when they are not. */
export const causeOf = (freezes: readonly FreezeRow[]): FreezeRow['cause'] | undefined =>
  causes.find((cause) => freezes.some((freeze) => freeze.cause === cause && freeze.ended_at === null));

/** The same by id. A caller that shows items must hold the lock of the order, which freezing takes, too. */
export const findFreeze = async (db: Database, orderId: string) => causeOf(await listFreezes(db, orderId));

/** Whether an order is frozen by the restore of a backup. */
export async function isHeldBack(db: Database, orderId: string): Promise<boolean> {
  const freezes = await listFreezes(db, orderId);
  return freezes.some(({ cause, ended_at }) => cause === 'restore' && ended_at === null);
}

/** Whether an order is frozen, or its items are unfrozen while it is disputed or after a part of its money was lost. */
export const isFrozenOrDisputed = (orderId: string) =>
  sql<boolean>`EXISTS (SELECT FROM order_freezes WHERE order_id = ${orderId} AND (ended_at IS NULL OR cause = 'dispute' AND outcome IN ('lifted', 'lost')))`;

export const isOpenDispute = ({ cause, outcome }: FreezeRow): boolean =>
  cause === 'dispute' && (outcome === null || outcome === 'lifted');

/** Whether the bank has decided each dispute of an order for the shop, as when it reverses one that was lost. */
export function isReversed(freezes: readonly FreezeRow[]): boolean {
  const disputes = freezes.filter(({ cause }) => cause === 'dispute');
  return disputes.length > 0 && disputes.every(({ outcome }) => outcome === 'won');
}

/** Whether a time of a freeze is after the goods of its order were withdrawn because a dispute was lost. */
export const isAfterLoss = (at: Date | null, { disputed_at: lostAt }: Pick<OrderRow, 'disputed_at'>): boolean =>
  at !== null && lostAt !== null && at >= lostAt;

/** Whether the bank has yet to decide on a dispute of an order, during which the provider refunds nothing. */
export const isDisputed = async (db: Database, orderId: string): Promise<boolean> =>
  (await listFreezes(db, orderId)).some(isOpenDispute);

/**
 * Lists the intents on which the bank has yet to decide, as far as the shop knows, those of delivered orders that an
 * early fraud warning freezes, and those of disputes that were lost since then, which may be reversed. An order that was
 * refunded before its dispute has no freeze, only the alert.
 */
export async function listQuestionedIntents(db: Database, { lostSince }: { lostSince: Date }): Promise<string[]> {
  const rows = await rowsOf<{ intentId: string }>(db)`
    SELECT payment_intent_id AS "intentId" FROM order_freezes JOIN orders ON orders.id = order_id
    WHERE payment_intent_id IS NOT NULL AND (outcome = 'lost' AND ended_at >= ${lostSince}
      OR ${isOngoing} AND (cause IN ('dispute', 'inquiry') OR cause = 'fraud-warning' AND state = 'fulfilled'))
    UNION
    SELECT payment_intent_id FROM alerts JOIN orders ON orders.id = order_id
    WHERE kind = 'dispute' AND ended_at IS NULL AND payment_intent_id IS NOT NULL
    UNION
    SELECT payment_intent_id FROM orders
    WHERE state = 'disputed' AND disputed_at >= ${lostSince} AND payment_intent_id IS NOT NULL`;
  return rows.map(({ intentId }) => intentId);
}
