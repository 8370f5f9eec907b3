import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { Repeat } from './assert-not-repeated.ts';

/** One statement (0012_repeated_orders.sql). */
export async function lockAndFindRepeat(
  trx: Transaction,
  { cart, userId, checkoutHash, boundOrderId, now }: Repeat,
): Promise<{ isPaid: boolean; orderedAt: Date } | undefined> {
  const products = cart.map((line) => line.productId);
  const quantities = cart.map((line) => line.quantity);
  const { rows } = await sql<{ isPaid: boolean; orderedAt: Date }>`
    SELECT is_paid AS "isPaid", ordered_at AS "orderedAt"
    FROM lock_and_find_repeat(${userId}::uuid, ${checkoutHash}::bytea, ${boundOrderId}::uuid, ${products}::uuid[],
      ${quantities}::integer[], ${now}::timestamptz)`.execute(trx);
  return rows[0];
}

/** Its buyer pays this order again: what was declined before counts no more. */
export async function markRetried(trx: Transaction, orderId: string, now: Date): Promise<void> {
  await trx
    .updateTable('orders')
    .set({ retried_at: now })
    .where('id', '=', orderId)
    .where('state', '=', 'pending')
    .execute();
}
