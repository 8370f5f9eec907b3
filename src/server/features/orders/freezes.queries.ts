import { sql } from 'kysely';
import { type Database, firstRowOf, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { FreezeRow } from '../../platform/database/tables.ts';

/** Notes a claim that is open; one that is known already stays as it is. */
export const insertFreeze = (trx: Transaction, freeze: Pick<FreezeRow, 'id' | 'order_id' | 'cause' | 'frozen_at'>) =>
  trx
    .insertInto('order_freezes')
    .values({ ...freeze, ended_at: null, outcome: null })
    .onConflict((key) => key.column('id').doNothing())
    .execute();

/** Ends the freezes of an order; answers how many there were. A bank that decides for the shop ends none of a restore. */
export async function endFreezes(
  trx: Transaction,
  orderId: string,
  { outcome, now }: { outcome: NonNullable<FreezeRow['outcome']>; now: Date },
): Promise<number> {
  const ended = await rowsOf(trx)`
    UPDATE order_freezes SET ended_at = ${now}, outcome = ${outcome} WHERE order_id = ${orderId} AND ended_at IS NULL
      AND ${outcome === 'won' ? sql`cause <> 'restore'` : sql`true`}
    RETURNING id`;
  return ended.length;
}

/** Oldest first. */
export const listFreezes = (db: Database, orderId: string) => rowsOf<FreezeRow>(db)`
  SELECT id, order_id, cause, frozen_at, ended_at, outcome FROM order_freezes
  WHERE order_id = ${orderId} ORDER BY frozen_at, id`;

/**
 * Why items that the buyer of an order has not seen are frozen, a bank before a restore; undefined when they are not. Asked under the
 * order's lock by whoever shows them.
 */
export async function findFreeze(db: Database, orderId: string): Promise<FreezeRow['cause'] | undefined> {
  const freeze = await firstRowOf<Pick<FreezeRow, 'cause'>>(db)`
    SELECT cause FROM order_freezes WHERE order_id = ${orderId} AND ended_at IS NULL ORDER BY cause = 'restore' LIMIT 1`;
  return freeze?.cause;
}

/** Whether the restore of a backup freezes an order. */
export async function isHeldBack(db: Database, orderId: string): Promise<boolean> {
  const freezes = await listFreezes(db, orderId);
  return freezes.some(({ cause, ended_at }) => cause === 'restore' && ended_at === null);
}

export const hasOpenFreeze = (orderId: string) =>
  sql<boolean>`EXISTS (SELECT FROM order_freezes WHERE order_id = ${orderId} AND ended_at IS NULL)`;

/** Whether an order is frozen by a dispute, during which the provider refunds nothing. */
export const isDisputed = async (db: Database, orderId: string): Promise<boolean> =>
  (await listFreezes(db, orderId)).some(({ cause, ended_at }) => cause === 'dispute' && ended_at === null);

/** The payments of delivered orders that a bank's claim freezes. */
export async function listFrozenIntents(db: Database): Promise<string[]> {
  const rows = await rowsOf<{ intentId: string }>(db)`
    SELECT DISTINCT payment_intent_id AS "intentId" FROM order_freezes JOIN orders ON orders.id = order_id
    WHERE ended_at IS NULL AND cause <> 'restore' AND state = 'fulfilled' AND payment_intent_id IS NOT NULL`;
  return rows.map(({ intentId }) => intentId);
}
