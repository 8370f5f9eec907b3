import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';

/** Milliseconds between two visits of the sweeper to an unfinished order. */
const SWEEP_EVERY_MS = 30_000;

export const nextSweep = (now: Date): Date => new Date(now.getTime() + SWEEP_EVERY_MS);

/**
 * Takes up to `limit` orders that are due and sets their next visit, at the end of the hold at the latest. That is a lease:
 * it keeps other processes away while this one talks to the provider, and expires by itself if this process dies.
 * Orders that others change at the moment are skipped, but not those that a new row, such as a receipt, refers to.
 */
export function leaseOrdersToSweep(db: Database, now: Date, limit: number) {
  const due = db.selectFrom('orders').select('id').where('sweep_at', '<=', now).orderBy('sweep_at').limit(limit);
  const endOfHold = sql`CASE WHEN hold_expires_at > ${now} THEN hold_expires_at END`;
  const nextVisit = sql<Date>`least(${nextSweep(now)}::timestamptz, ${endOfHold})`;
  const leased = db
    .updateTable('orders')
    .set({ sweep_at: nextVisit })
    .where('id', 'in', due.forNoKeyUpdate().skipLocked());
  return leased.returning(['id', 'state', 'hold_expires_at']).execute();
}
