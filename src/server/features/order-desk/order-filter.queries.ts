import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { OrderStatus } from '../../../shared/orders.ts';
import { afterCursor, type PageStart } from '../../platform/database/newest-first.ts';
import { onDays } from '../../platform/database/shop-days.ts';
import type { OrderRow } from '../../platform/database/tables.ts';

type OrderType = OrderRow['type'];

export interface OrderFilter extends PageStart {
  /** Orders of both types if left out. */
  type?: OrderType | undefined;
  q?: string | undefined;
  status?: OrderStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

// Every state in which an order is Cancelled leaves one of these marks.
const ENDED = sql`(orders.cancel_reason IS NOT NULL OR orders.refund_reason IS NOT NULL OR orders.disputed_at IS NOT NULL)`;
const OPEN = sql`orders.state IN ('pending', 'capturing', 'fulfilled')
  AND orders.shipped_at IS NULL AND orders.cancelled_at IS NULL AND orders.refunded_at IS NULL`;

/** The SQL of statusOf, worded like the indexes of the rare statuses (orders_open, orders_shipped, orders_ended). */
const withStatus: Record<OrderType, Record<OrderStatus, RawBuilder<unknown>>> = {
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

const typesOf = ({ type }: OrderFilter): OrderType[] => (type ? [type] : ['digital', 'physical']);

/** The condition of a list of orders, all but its search. Abandoned carts are not listed. */
export function isListed({ status, cursor, ...filter }: OrderFilter): RawBuilder<SqlBool> {
  const ofType = typesOf(filter).map(
    (type) => sql`orders.type = ${sql.lit(type)} AND ${status ? withStatus[type][status] : sql`true`}`,
  );
  return sql<SqlBool>`(
    (${sql.join(ofType, sql` OR `)}) AND orders.cancel_reason IS DISTINCT FROM 'abandoned'
    AND ${onDays('orders.created_at', filter)} AND ${afterCursor('orders', cursor)})`;
}

/** The listed orders, newest first, up to `limit`: each type by its part of an index (orders_newest), then both merged. */
export function newestListed(filter: OrderFilter, limit: number): RawBuilder<unknown> {
  const newestFirst = sql`ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const ofType = typesOf(filter).map((type) => {
    const listed = isListed({ ...filter, type });
    return sql`(SELECT id, created_at, contact_email, guest_name, user_id
      FROM ${source(type, filter.status)} WHERE ${listed} ${newestFirst})`;
  });
  return sql`SELECT * FROM (${sql.join(ofType, sql` UNION ALL `)}) AS orders ${newestFirst}`;
}

/** Every listed order once, to be counted. */
export function allListed(filter: OrderFilter): RawBuilder<unknown> {
  const ofType = typesOf(filter).map(
    (type) => sql`SELECT FROM ${source(type, filter.status)} WHERE ${isListed({ ...filter, type })}`,
  );
  return sql.join(ofType, sql` UNION ALL `);
}

/**
 * The few orders that are on their way are selected before anything else: PostgreSQL cannot know how few they are, and
 * would look for them through all orders, newest first.
 */
function source(type: OrderType, status: OrderStatus | undefined): RawBuilder<unknown> {
  if (status !== 'Processing' && status !== 'Shipped') return sql`orders`;
  return sql`(SELECT * FROM orders WHERE type = ${sql.lit(type)} AND ${withStatus[type][status]} OFFSET 0) AS orders`;
}
