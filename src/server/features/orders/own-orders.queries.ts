import { sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { anyContains, cutPage, onePage, type PageStart, placeOf } from '../../platform/database/list-queries.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { findOrder, lockOrder, numberOf, orderColumns, readFullOrders, selectOrder } from './orders.queries.ts';

// A buyer does not see pending and cancelled orders, except orders whose payment failed.
export const isShownToBuyer = sql<boolean>`(state NOT IN ('pending', 'cancelled') OR cancel_reason = 'payment-failed')`;

/** Returns an order that its buyer may see; undefined for another user's order. */
export const findOrderOfUser = (db: Database, { orderId, userId }: { orderId: string; userId: string }) =>
  selectOrder(db, orderId).where(isShownToBuyer).where('user_id', '=', userId).executeTakeFirst();

/** Throws NOT_FOUND when the order is missing, or belongs to another user. */
export async function assertOwnOrder(db: Database, id: string, userId: string): Promise<void> {
  if ((await findOrder(db, id))?.user_id !== userId) throw new AppError('NOT_FOUND', 'Order not found');
}

/**
 * Locks an order for its buyer, who is looked at under the lock: the e-mail of the order may just have been corrected to
 * that of another account. Throws NOT_FOUND.
 */
export async function lockOwnOrder(trx: Transaction, id: string, userId: string): Promise<OrderRow> {
  const order = await lockOrder(trx, id);
  if (order.user_id !== userId) throw new AppError('NOT_FOUND', 'Order not found');
  return order;
}

export type OwnOrders = PageStart & { type?: OrderRow['type']; q?: string | undefined };

/** Lists a page of the orders that a buyer may see, newest first. */
export async function listOrdersOfUser(db: Database, userId: string, { type, q, ...page }: OwnOrders) {
  const isOfType = type ? sql<boolean>`type = ${type}` : sql<boolean>`true`;
  const isFound = q
    ? sql<boolean>`(${anyContains([numberOf('orders.id')], q)} OR EXISTS (
        SELECT FROM order_lines WHERE order_id = orders.id AND ${anyContains([sql`name`], q)}))`
    : sql<boolean>`true`;
  const orders = await db
    .selectFrom('orders')
    .select(orderColumns)
    .select(placeOf('orders'))
    .where('user_id', '=', userId)
    .where(sql<boolean>`${isShownToBuyer} AND ${isOfType} AND ${isFound}`)
    .$call(onePage('orders', page))
    .execute();
  const { rows, nextCursor } = cutPage(orders, page);
  return { orders: await readFullOrders(db, rows), nextCursor };
}
