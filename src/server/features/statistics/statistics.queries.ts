import { sql } from 'kysely';
import type { Period } from '../../../shared/trends.ts';
import type { Database } from '../../platform/database/open-database.ts';

export interface Counts {
  users: number;
  activeUsers: number;
  digitalProducts: number;
  physicalProducts: number;
  activeProducts: number;
  /** Shown as Processing. */
  pendingOrders: number;
}

/** Users are active who were seen since that moment. */
export async function countAll(db: Database, seenSince: Date): Promise<Counts> {
  const { rows } = await sql<Counts>`
    SELECT
      (SELECT count(*) FROM users)::integer AS users,
      (SELECT count(DISTINCT user_id) FROM sessions WHERE last_seen_at >= ${seenSince})::integer AS "activeUsers",
      (SELECT count(*) FROM products WHERE kind = 'digital')::integer AS "digitalProducts",
      (SELECT count(*) FROM products WHERE kind = 'physical')::integer AS "physicalProducts",
      (SELECT count(*) FROM products WHERE is_active)::integer AS "activeProducts",
      (SELECT count(*) FROM orders WHERE shipped_at IS NULL AND cancelled_at IS NULL AND refunded_at IS NULL
        AND (paid_at IS NULL OR type = 'physical') AND state IN ('pending', 'capturing', 'fulfilled'))::integer AS "pendingOrders"`.execute(
    db,
  );
  if (!rows[0]) throw new Error('Counting answered nothing');
  return rows[0];
}

/** How many users and products of either kind were added in a period. */
export async function countAdded(
  db: Database,
  { from, to }: Period,
): Promise<{ users: number; products: number }> {
  const added = (table: string) =>
    sql`(SELECT count(*) FROM ${sql.table(table)} WHERE created_at >= ${from} AND created_at < ${to})::integer`;
  const { rows } = await sql<{ users: number; products: number }>`
    SELECT ${added('users')} AS users, ${added('products')} AS products`.execute(db);
  return rows[0] ?? { users: 0, products: 0 };
}
