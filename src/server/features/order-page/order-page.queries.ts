import { DAY_MS } from '../../../shared/durations.ts';
import {
  type Database,
  fieldOf,
  isWithinLast,
  lockName,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';
import { wasReported } from '../inventory/inventory.queries.ts';
import { isFrozenOrDisputed } from '../orders/freezes.queries.ts';

/** The user and the card whose cancellations are counted. */
export interface Canceller {
  userId: string;
  cardKey: Buffer | null;
}

/** Locks user and card until the transaction ends, so that concurrent cancellations are counted one after the other. */
export async function lockCanceller(trx: Transaction, { userId, cardKey }: Canceller): Promise<void> {
  const names = [`cancel ${userId}`, ...(cardKey ? [`cancel ${cardKey.toString('hex')}`] : [])].sort();
  for (const name of names) await lockName(trx, name);
  // The foreign key of `cancellations` locks the buyer's row, and users must be locked before orders.
  await trx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare().execute();
}

/** Returns the larger of two counts of the last day: cancellations by the user, and by anybody with the card. */
export const countCancellations = (trx: Transaction, { userId, cardKey }: Canceller, now: Date) =>
  fieldOf<number>(trx)`
    SELECT greatest(count(*) FILTER (WHERE user_id = ${userId}), count(*) FILTER (WHERE card_key = ${cardKey}))::integer
    FROM cancellations WHERE ${isWithinLast(DAY_MS, { column: 'at', now })} AND (user_id = ${userId} OR card_key = ${cardKey})`;

export const insertCancellation = (trx: Transaction, cancellation: Tables['cancellations']) =>
  trx.insertInto('cancellations').values(cancellation).execute();

/**
 * Whether the order is paid, and nothing of it was refunded, shipped, delivered by a person, frozen, disputed,
 * reported, replaced or seen. Delivered by a person counts even if unread: the buyer may have got it elsewhere.
 */
export async function isUntouched(db: Database, { id, state, refunded_cents }: OrderRow): Promise<boolean> {
  if (state !== 'fulfilled' || refunded_cents > 0) return false;
  const touched = await fieldOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM parcels WHERE order_id = ${id}) OR EXISTS (SELECT FROM refunds WHERE order_id = ${id})
      OR ${isFrozenOrDisputed(id)}
      OR EXISTS (SELECT FROM order_lines JOIN items ON order_line_id = order_lines.id
        WHERE order_id = ${id} AND (delivery = 'manual' OR first_viewed_at IS NOT NULL OR replaced_by IS NOT NULL
          OR ${wasReported}))`;
  return !touched;
}

/** Lists the items that a person delivered, and those that replaced faulty ones. */
export const listLaterItems = (db: Database, orderId: string) =>
  rowsOf<{ name: string; at: Date | null; isReplacement: boolean }>(db)`
    SELECT name, items.delivered_at AS at, origin.*
    FROM order_lines JOIN items ON order_line_id = order_lines.id, LATERAL (
      -- A returned item may belong to another buyer by now.
      SELECT EXISTS (SELECT FROM items AS faulty
        WHERE faulty.replaced_by = items.id AND faulty.order_line_id = order_lines.id) AS "isReplacement") AS origin
    WHERE order_id = ${orderId} AND (delivery = 'manual' OR "isReplacement")`;
