import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { lockUser } from '../src/server/features/accounts/accounts.queries.ts';
import type { Database, Transaction } from '../src/server/platform/database/database.ts';

/** Counts the sessions that wait for a lock, only in this database: the tests' databases share a server. */
export async function countWaiting(db: Database): Promise<number> {
  const { rows } = await sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}

/**
 * Starts calls that all wait for one user's row, in this sequence: each begins before the one ahead of it has finished,
 * and finds its result. `meanwhile` is done while they wait.
 */
export const inTurn = <T>(
  db: Database,
  userId: string,
  calls: (() => Promise<T>)[],
  meanwhile?: () => Promise<unknown>,
): Promise<T[]> => startWhileLocked(db, (trx) => lockUser(trx, userId), calls, meanwhile);

/** Starts calls that all wait for what `lock` locks, in this sequence, and returns their results. */
export async function startWhileLocked<T>(
  db: Database,
  lock: (trx: Transaction) => Promise<unknown>,
  calls: (() => Promise<T>)[],
  meanwhile?: () => Promise<unknown>,
): Promise<T[]> {
  const { started } = await db.transaction().execute(async (trx) => {
    await lock(trx);
    const started: Promise<T>[] = [];
    for (const call of calls) {
      started.push(call());
      await vi.waitFor(async () => expect(await countWaiting(db)).toBe(started.length), {
        timeout: 10_000,
        interval: 20,
      });
    }
    await meanwhile?.();
    return { started };
  });
  return Promise.all(started);
}
