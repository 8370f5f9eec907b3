import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { OrderStatus } from '../../../shared/orders.ts';
import {
  afterCursor,
  countUpTo,
  cutPage,
  nameOrEmailBegins,
  nameOrEmailContains,
  onDays,
  type PageStart,
  rowsToRead,
} from '../../platform/database/list-queries.ts';
import { type Database, rowOf } from '../../platform/database/open-database.ts';
import { columnOf } from '../../platform/database/statements.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { readAdminOrders } from './admin-orders.queries.ts';

type OrderType = OrderRow['type'];

export interface OrderFilter extends PageStart {
  /** Orders of both types if left out. */
  type?: OrderType | undefined;
  q?: string | undefined;
  status?: OrderStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

// A frequent word is found fast by scanning the newest orders, a rare word by the trigram indexes. Either method alone
// would read most of a million orders for some words, so the share of matches among the newest orders decides.
const NEWEST = 2_000;
/**
 * From this share of matches on, the newest orders are scanned, which soon fills a page, and the matches are not
 * counted to the end.
 */
const FREQUENT = 0.01;
const MAX_LOOKED_AT = 20_000;

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
export async function searchOrders(db: Database, filter: OrderFilter, q: string, newest = NEWEST) {
  const whole = { ...filter, cursor: undefined };
  if (isNumber(q)) {
    const ids = await readPage(db, byNumber(filter, q), filter);
    if (ids.length > 0) return { ids, total: ids.length, hasUncounted: false };
  }
  const { looked, matching } = await lookAtNewest(db, whole, q, newest);
  if (looked < newest) {
    return { ids: await readPage(db, oneByOne(filter, q), filter), total: matching, hasUncounted: false };
  }
  if (matching >= looked * FREQUENT) {
    const ids = await readPage(db, oneByOne(filter, q), filter);
    if (ids.length === rowsToRead(filter)) return { ids, total: matching, hasUncounted: true };
  }
  const [ids, counted] = await Promise.all([
    readPage(db, byWords(filter, q), filter),
    countUpTo(db, byWords(whole, q)),
  ]);
  return { ids, ...counted };
}

/** Whether the text is an order number (the last eight characters of the id) or a whole id. */
const isNumber = (q: string) => /^#?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{4})?[0-9a-f]{8}$/i.test(q);

const placed = sql`orders.id, orders.created_at`;

const byNumber = (filter: OrderFilter, q: string) => sql`
  SELECT ${placed} FROM orders WHERE right(orders.id::text, 8) = ${q.slice(-8).toLowerCase()} AND ${isListed(filter)}`;

/** Matches names and e-mails. The trigram indexes find fewer than three characters only at the beginning of a text. */
const named = (columns: string[], q: string) =>
  q.length < 3 ? nameOrEmailBegins(columns, q) : nameOrEmailContains(columns, q);
const givenWithOrder = (q: string) => named(['orders.contact_email', 'orders.guest_name'], q);
const ofBuyer = (q: string) => named(['users.name', 'users.email'], q);

/** Finds orders by the indexes orders_by_words and users_by_words. */
function byWords(filter: OrderFilter, q: string): RawBuilder<unknown> {
  return sql`
    SELECT ${placed} FROM orders WHERE ${givenWithOrder(q)} AND ${isListed(filter)}
    UNION ALL
    SELECT ${placed} FROM users JOIN orders ON orders.user_id = users.id
    WHERE ${ofBuyer(q)} AND NOT ${givenWithOrder(q)} AND ${isListed(filter)}`;
}

// The subquery reads the buyer only of orders that do not match themselves; a join might read all users.
const matches = (q: string) =>
  sql<SqlBool>`(${givenWithOrder(q)} OR (SELECT ${ofBuyer(q)} FROM users WHERE users.id = orders.user_id))`;

const oneByOne = (filter: OrderFilter, q: string) => sql`
  SELECT ${placed} FROM (${newestListed(filter, MAX_LOOKED_AT)}) AS orders WHERE ${matches(q)}`;

const lookAtNewest = (db: Database, filter: OrderFilter, q: string, most: number) =>
  rowOf<{ looked: number; matching: number }>(db)`
    SELECT count(*)::integer AS looked, (count(*) FILTER (WHERE ${matches(q)}))::integer AS matching
    FROM (${newestListed(filter, most)}) AS orders`;

const readPage = (db: Database, found: RawBuilder<unknown>, filter: OrderFilter) => columnOf<string>(db)`
    SELECT id FROM (${found}) AS found ORDER BY created_at DESC, id DESC LIMIT ${rowsToRead(filter)}`;

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
    AND ${onDays('orders.created_at', filter)} AND ${afterCursor('orders', cursor)})`;
}

/**
 * Selects the listed orders, newest first, up to `limit`: each type by its part of an index (orders_newest), then both
 * merged.
 */
function newestListed(filter: OrderFilter, limit: number): RawBuilder<unknown> {
  const newestFirst = sql`ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const ofType = typesOf(filter).map((type) => {
    const listed = isListed({ ...filter, type });
    return sql`(SELECT id, created_at, contact_email, guest_name, user_id
      FROM ${source(type, filter.status)} WHERE ${listed} ${newestFirst})`;
  });
  return sql`SELECT * FROM (${sql.join(ofType, sql` UNION ALL `)}) AS orders ${newestFirst}`;
}

/** Selects a row without columns for each listed order, to be counted. */
function allListed(filter: OrderFilter): RawBuilder<unknown> {
  const ofType = typesOf(filter).map(
    (type) => sql`SELECT FROM ${source(type, filter.status)} WHERE ${isListed({ ...filter, type })}`,
  );
  return sql.join(ofType, sql` UNION ALL `);
}

/**
 * Returns the table to list from. The few orders that are Processing or Shipped are selected first, in a subquery that
 * OFFSET 0 keeps from being flattened: the planner cannot estimate how few they are, and would scan all orders, newest
 * first.
 */
function source(type: OrderType, status: OrderStatus | undefined): RawBuilder<unknown> {
  if (status !== 'Processing' && status !== 'Shipped') return sql`orders`;
  return sql`(SELECT * FROM orders WHERE type = ${sql.lit(type)} AND ${withStatus[type][status]} OFFSET 0) AS orders`;
}
