import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';

// The schedule of checkout/sweep-orders.ts. It is in this folder because beginRefund needs it, and orders imports
// nothing of checkout.

/** From a visit of the sweeper to an unfinished order until the order is due again. */
const SWEEP_EVERY_MS = 30_000;

/** When the sweeper visits an order that is written or changed now, should nobody finish it before. */
export const nextSweep = (now: Date): Date => new Date(now.getTime() + SWEEP_EVERY_MS);

/**
 * Leases up to `limit` orders that are due, those that have waited longest first: sets their next visit, at the end of
 * the hold at the latest. Until then other processes leave the order alone while this one talks to the provider. The
 * lease needs no release: if this process dies, the order is due again. Skips orders that another transaction changes
 * at the moment; a transaction that only refers to the order, as for a new receipt, does not make it be skipped.
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
