import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Counted } from '../../../shared/paging.ts';
import { countUpTo, rowsToRead } from '../../platform/database/newest-first.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { nameOrEmailBegins, nameOrEmailContains } from '../../platform/database/text-search.ts';
import { isListed, newestListed, type OrderFilter } from './order-filter.queries.ts';

// What is found often is found among the newest orders; for what is rare the indexes of words are quick. Either way
// alone would read most of a million orders for some words, so a look at the newest decides.
const NEWEST = 2_000;
/** Of a hundred orders one: then a page of them is soon found one by one, and nobody waits until all are counted. */
const FREQUENT = 0.01;
const MOST_LOOKED_AT = 20_000;

export interface FoundOrders extends Counted {
  ids: string[];
}

/** Orders by number, by the buyer's name or e-mail, or by those that were given with the order: the ids of one page. */
export async function searchOrders(
  db: Database,
  filter: OrderFilter,
  q: string,
  newest = NEWEST,
): Promise<FoundOrders> {
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

/** As people read it, the last eight characters of the id; or all of the id. */
const isNumber = (q: string) => /^#?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{4})?[0-9a-f]{8}$/i.test(q);

const placed = sql`orders.id, orders.created_at`;

const byNumber = (filter: OrderFilter, q: string) => sql`
  SELECT ${placed} FROM orders WHERE right(orders.id::text, 8) = ${q.slice(-8).toLowerCase()} AND ${isListed(filter)}`;

/** Fewer than three characters have no place in the indexes of words, except as the beginning of what is searched. */
const named = (columns: string[], q: string) =>
  q.length < 3 ? nameOrEmailBegins(columns, q) : nameOrEmailContains(columns, q);
const givenWithOrder = (q: string) => named(['orders.contact_email', 'orders.guest_name'], q);
const ofBuyer = (q: string) => named(['users.name', 'users.email'], q);

/** By the indexes orders_by_words and users_by_words. */
function byWords(filter: OrderFilter, q: string): RawBuilder<unknown> {
  return sql`
    SELECT ${placed} FROM orders WHERE ${givenWithOrder(q)} AND ${isListed(filter)}
    UNION ALL
    SELECT ${placed} FROM users JOIN orders ON orders.user_id = users.id
    WHERE ${ofBuyer(q)} AND NOT ${givenWithOrder(q)} AND ${isListed(filter)}`;
}

// The buyer is looked up for each order that does not match by itself: joined, all users might be read.
const matches = (q: string) =>
  sql<SqlBool>`(${givenWithOrder(q)} OR (SELECT ${ofBuyer(q)} FROM users WHERE users.id = orders.user_id))`;

const oneByOne = (filter: OrderFilter, q: string) => sql`
  SELECT ${placed} FROM (${newestListed(filter, MOST_LOOKED_AT)}) AS orders WHERE ${matches(q)}`;

async function lookAtNewest(
  db: Database,
  filter: OrderFilter,
  q: string,
  most: number,
): Promise<{ looked: number; matching: number }> {
  const { rows } = await sql<{ looked: number; matching: number }>`
    SELECT count(*)::integer AS looked, (count(*) FILTER (WHERE ${matches(q)}))::integer AS matching
    FROM (${newestListed(filter, most)}) AS orders`.execute(db);
  return rows[0] ?? { looked: 0, matching: 0 };
}

async function readPage(db: Database, found: RawBuilder<unknown>, filter: OrderFilter): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM (${found}) AS found ORDER BY created_at DESC, id DESC LIMIT ${rowsToRead(filter)}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
