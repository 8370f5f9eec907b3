import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SearchOf } from '../../../shared/api.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import { type Database, rowsOf } from '../../platform/database/database.ts';
import {
  afterCursor,
  anyContains,
  countUpTo,
  cutPage,
  isNamed,
  newestFirst,
  onDays,
  onePage,
  placeOf,
  readIds,
  rowsToRead,
  searchByWords,
  type WordSearch,
} from '../../platform/database/list-queries.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { readAdminOrders } from './admin-orders.queries.ts';
import { columnsOf, isShownToBuyer, numberOf, orderColumns, readFullOrders } from './orders.queries.ts';

type OrderType = OrderRow['type'];

/** Orders of both types if `type` is left out. */
export type OrderFilter = SearchOf<'GET /admin/orders'> & { type?: OrderType | undefined };

/** Returns one page of the orders of one type or of both, newest first, and how many there are on all pages. */
export async function listOrders(db: Database, filter: OrderFilter) {
  const { ids, ...counted } = filter.q ? await searchOrders(db, filter, filter.q) : await newestOrders(db, filter);
  return { ...cutPage(await readAdminOrders(db, ids), filter), ...counted };
}

async function newestOrders(db: Database, filter: OrderFilter) {
  const [ids, counted] = await Promise.all([
    readPage(db, newestListed(filter, rowsToRead(filter)), filter),
    countUpTo(db, allListed({ ...filter, cursor: undefined })),
  ]);
  return { ids, ...counted };
}

/** Finds orders by number, by the buyer's name or e-mail, or by the name or e-mail given with the order. */
export async function searchOrders(db: Database, filter: OrderFilter, q: string, newest?: number) {
  if (isNumber(q)) {
    const ids = await readPage(db, byNumber(filter, q), filter);
    if (ids.length > 0) return { ids, total: ids.length, hasUncounted: false };
  }
  return await searchByWords(db, filter, namedLike(q), newest);
}

const newest = newestFirst('orders');
const orderList = { table: 'orders', sort: newest };

const readPage = (db: Database, found: RawBuilder<unknown>, filter: OrderFilter) =>
  readIds(db, found, orderList, filter);

/** Whether the text is an order number (the last eight characters of the id) or a whole id. */
const isNumber = (q: string) => /^#?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{4})?[0-9a-f]{8}$/i.test(q);

const placed = sql`orders.id, orders.created_at`;

const byNumber = (filter: OrderFilter, q: string) => sql`
  SELECT ${placed} FROM orders WHERE right(orders.id::text, 8) = ${q.slice(-8).toLowerCase()} AND ${isListed(filter)}`;

function namedLike(q: string): WordSearch<OrderFilter> {
  const givenWithOrder = isNamed(['orders.contact_email', 'orders.guest_name'], q);
  const ofBuyer = isNamed(['users.name', 'users.email'], q);
  return {
    ...orderList,
    first: newestListed,
    // The subquery reads the buyer only of orders that do not match themselves; a join might read all users.
    matches: sql`(${givenWithOrder} OR (SELECT ${ofBuyer} FROM users WHERE users.id = orders.user_id))`,
    // By the indexes orders_by_words and users_by_words.
    byWords: (filter) => sql`
      SELECT ${placed} FROM orders WHERE ${givenWithOrder} AND ${isListed(filter)}
      UNION ALL
      SELECT ${placed} FROM users JOIN orders ON orders.user_id = users.id
      WHERE ${ofBuyer} AND NOT ${givenWithOrder} AND ${isListed(filter)}`,
  };
}

// Every state in which an order is Cancelled sets one of these columns.
const ENDED = sql`(orders.cancel_reason IS NOT NULL OR orders.refund_reason IS NOT NULL OR orders.disputed_at IS NOT NULL)`;
const OPEN = sql`orders.state IN ('pending', 'capturing', 'fulfilled')
  AND orders.shipped_at IS NULL AND orders.cancelled_at IS NULL AND orders.refunded_at IS NULL`;

const WAITS = sql`orders.state = 'fulfilled' AND orders.waiting_units > 0`;
const WAITS_NOT = sql`orders.waiting_units = 0`;

/** The SQL of orderStatusOf, worded like the indexes of the rare statuses (orders_open, orders_shipped, orders_ended). */
const withStatus: Record<OrderType, Record<OrderStatus, RawBuilder<unknown>>> = {
  digital: {
    Processing: sql`(${OPEN} AND orders.paid_at IS NULL OR ${WAITS})`,
    Shipped: sql`false`,
    Delivered: sql`orders.state = 'fulfilled' AND ${WAITS_NOT}`,
    Cancelled: ENDED,
  },
  physical: {
    Processing: sql`(${OPEN} OR ${WAITS})`,
    Shipped: sql`orders.shipped_at IS NOT NULL AND orders.delivered_at IS NULL AND orders.state = 'fulfilled'
      AND ${WAITS_NOT}`,
    Delivered: sql`orders.delivered_at IS NOT NULL AND orders.state = 'fulfilled' AND ${WAITS_NOT}`,
    Cancelled: ENDED,
  },
};

const typesOf = ({ type }: OrderFilter): OrderType[] => (type ? [type] : ['digital', 'physical']);

/** The condition of a list of orders, except its search. Abandoned carts are not listed. */
function isListed({ status, cursor, ...filter }: OrderFilter): RawBuilder<SqlBool> {
  const ofType = typesOf(filter).map(
    (type) => sql`orders.type = ${sql.lit(type)} AND ${status ? withStatus[type][status] : sql`true`}`,
  );
  return sql<SqlBool>`(
    (${sql.join(ofType, sql` OR `)}) AND orders.cancel_reason IS DISTINCT FROM 'abandoned'
    AND ${onDays('orders.created_at', filter)} AND ${afterCursor(newest, cursor)})`;
}

/** Selects the listed orders, newest first, up to `limit`: each type by its index (orders_newest), then merged. */
function newestListed(filter: OrderFilter, limit: number): RawBuilder<unknown> {
  const newestUpToLimit = sql`ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const ofType = typesOf(filter).map((type) => {
    const listed = isListed({ ...filter, type });
    return sql`(SELECT id, created_at, contact_email, guest_name, user_id
      FROM ${source(type, filter.status)} WHERE ${listed} ${newestUpToLimit})`;
  });
  return sql`SELECT * FROM (${sql.join(ofType, sql` UNION ALL `)}) AS orders ${newestUpToLimit}`;
}

/** Selects a row without columns for each listed order, to be counted. */
function allListed(filter: OrderFilter): RawBuilder<unknown> {
  const ofType = typesOf(filter).map(
    (type) => sql`SELECT FROM ${source(type, filter.status)} WHERE ${isListed({ ...filter, type })}`,
  );
  return sql.join(ofType, sql` UNION ALL `);
}

/**
 * Returns the table to list from. The few Processing or Shipped orders are selected first, in a subquery that OFFSET 0
 * keeps from being flattened: the planner cannot estimate them, and would scan all orders, newest first.
 */
function source(type: OrderType, status: OrderStatus | undefined): RawBuilder<unknown> {
  if (status !== 'Processing' && status !== 'Shipped') return sql`orders`;
  return sql`(SELECT * FROM orders WHERE type = ${sql.lit(type)} AND ${withStatus[type][status]} OFFSET 0) AS orders`;
}

export type OwnOrders = SearchOf<'GET /orders/myorders'> & { type?: OrderRow['type'] };

/** Lists a page of the orders that a buyer may see, newest first. */
export async function listOrdersOfUser(db: Database, userId: string, { type, q, ...page }: OwnOrders) {
  const isOfType = type ? sql`type = ${type}` : sql`true`;
  const isFound = q
    ? sql`(${anyContains([numberOf('orders.id')], q)} OR EXISTS (
        SELECT FROM order_lines WHERE order_id = orders.id AND ${anyContains([sql`name`], q)}))`
    : sql`true`;
  const orders = await rowsOf<OrderRow & { place: string[] }>(db)`
    SELECT ${columnsOf(orderColumns)}, ${placeOf(newest)} FROM orders
    WHERE user_id = ${userId} AND ${isShownToBuyer} AND ${isOfType} AND ${isFound} ${onePage(newest, page)}`;
  const { rows, nextCursor } = cutPage(orders, page);
  return { orders: await readFullOrders(db, rows), nextCursor };
}
