import { sql } from 'kysely';
import { type Database, rowOf, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { FreezeRow } from '../../platform/database/tables.ts';

/** Notes a claim that is open; one that is known already stays as it is. */
export const insertFreeze = (trx: Transaction, freeze: Pick<FreezeRow, 'id' | 'order_id' | 'cause' | 'frozen_at'>) =>
  trx
    .insertInto('order_freezes')
    .values({ ...freeze, ended_at: null, outcome: null })
    .onConflict((key) => key.column('id').doNothing())
    .execute();

/** Ends all freezes of an order; answers how many there were. */
export async function endFreezes(
  trx: Transaction,
  orderId: string,
  { outcome, now }: { outcome: NonNullable<FreezeRow['outcome']>; now: Date },
): Promise<number> {
  const ended = await rowsOf(trx)`
    UPDATE order_freezes SET ended_at = ${now}, outcome = ${outcome} WHERE order_id = ${orderId} AND ended_at IS NULL
    RETURNING id`;
  return ended.length;
}

/** Oldest first. */
export const listFreezes = (db: Database, orderId: string) => rowsOf<FreezeRow>(db)`
  SELECT id, order_id, cause, frozen_at, ended_at, outcome FROM order_freezes
  WHERE order_id = ${orderId} ORDER BY frozen_at, id`;

/** Whether items that the buyer of an order has not seen are frozen; asked under the order's lock by whoever shows them. */
export async function isFrozen(db: Database, orderId: string): Promise<boolean> {
  const { frozen } = await rowOf<{ frozen: boolean }>(db)`SELECT ${hasOpenFreeze(orderId)} AS frozen`;
  return frozen;
}

export const hasOpenFreeze = (orderId: string) =>
  sql<boolean>`EXISTS (SELECT FROM order_freezes WHERE order_id = ${orderId} AND ended_at IS NULL)`;

/** Whether an order is frozen by a dispute, during which the provider refunds nothing. */
export const isDisputed = async (db: Database, orderId: string): Promise<boolean> =>
  (await listFreezes(db, orderId)).some(({ cause, ended_at }) => cause === 'dispute' && ended_at === null);

/** The payments of delivered orders that are frozen. */
export async function listFrozenIntents(db: Database): Promise<string[]> {
  const rows = await rowsOf<{ intentId: string }>(db)`
    SELECT DISTINCT payment_intent_id AS "intentId" FROM order_freezes JOIN orders ON orders.id = order_id
    WHERE ended_at IS NULL AND state = 'fulfilled' AND payment_intent_id IS NOT NULL`;
  return rows.map(({ intentId }) => intentId);
}
