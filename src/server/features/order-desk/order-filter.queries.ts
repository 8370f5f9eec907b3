import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { OrderStatus } from '../../../shared/orders.ts';
import { afterCursor, type PageStart } from '../../platform/database/newest-first.ts';
import { onDays } from '../../platform/database/shop-days.ts';
import type { OrderRow } from '../../platform/database/tables.ts';

export interface OrderFilter extends PageStart {
  type: OrderRow['type'];
  q?: string | undefined;
  status?: OrderStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

// Every state in which an order is Cancelled leaves one of these marks.
const ENDED = sql`(orders.cancel_reason IS NOT NULL OR orders.refund_reason IS NOT NULL OR orders.disputed_at IS NOT NULL)`;
const OPEN = sql`orders.state IN ('pending', 'capturing', 'fulfilled')
  AND orders.shipped_at IS NULL AND orders.cancelled_at IS NULL AND orders.refunded_at IS NULL`;

/** What statusOf says, in the words of the index that finds the rare ones (orders_open, orders_shipped, orders_ended). */
const withStatus: Record<OrderRow['type'], Record<OrderStatus, RawBuilder<unknown>>> = {
  digital: {
    Processing: sql`${OPEN} AND orders.paid_at IS NULL`,
    Shipped: sql`false`,
    Delivered: sql`orders.state = 'fulfilled'`,
    Cancelled: ENDED,
  },
  physical: {
    Processing: OPEN,
    Shipped: sql`orders.shipped_at IS NOT NULL AND orders.delivered_at IS NULL AND orders.state = 'fulfilled'`,
    Delivered: sql`orders.delivered_at IS NOT NULL AND orders.state = 'fulfilled'`,
    Cancelled: ENDED,
  },
};

/**
 * What a list is read from. The few orders that are on their way are picked before anything else: PostgreSQL cannot know
 * how few they are, and would look for them through all orders, newest first.
 */
export function ordersOf({ type, status }: OrderFilter): RawBuilder<unknown> {
  if (status !== 'Processing' && status !== 'Shipped') return sql`orders`;
  return sql`(SELECT * FROM orders WHERE type = ${sql.lit(type)} AND ${withStatus[type][status]} OFFSET 0) AS orders`;
}

/** The condition of a list of orders, all but its search; no abandoned carts (index orders_newest). */
export function isListed({ type, status, ...range }: OrderFilter): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    orders.type = ${sql.lit(type)} AND orders.cancel_reason IS DISTINCT FROM 'abandoned'
    AND ${status === undefined ? sql`true` : withStatus[type][status]}
    AND ${onDays('orders.created_at', range)} AND ${afterCursor('orders', range.cursor)})`;
}
