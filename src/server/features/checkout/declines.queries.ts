import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';

/** False when the decline was told before. */
export async function insertDecline(
  db: Database,
  { id, orderId, at }: { id: string; orderId: string; at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('declines')
    .values({ id, order_id: orderId, at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Unpaid orders of the order's own browser or user (`same_buyer`), and all others of which a card was declined. */
export async function listOrdersToClose(
  db: Database,
  { id, checkout_hash, user_id }: OrderRow,
): Promise<{ id: string; ip: string; same_buyer: boolean }[]> {
  const { rows } = await sql<{ id: string; ip: string; same_buyer: boolean }>`
    SELECT id, ip, bool_or(same_buyer) AS same_buyer FROM (
      SELECT id, ip, true AS same_buyer FROM orders WHERE id = ${id} AND state = 'pending'
      UNION ALL
      SELECT id, ip, true FROM orders
      WHERE checkout_hash = ${checkout_hash} AND sweep_at IS NOT NULL AND counted_network IS NOT NULL AND state = 'pending'
      UNION ALL
      SELECT id, ip, true FROM orders
      WHERE user_id = ${user_id} AND created_at > now() - interval '1 day' AND sweep_at IS NOT NULL AND state = 'pending'
      UNION ALL
      SELECT orders.id, ip, false FROM declines JOIN orders ON orders.id = order_id WHERE state = 'pending'
    ) AS found GROUP BY id, ip`.execute(db);
  return rows;
}
