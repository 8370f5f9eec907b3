import { sql } from 'kysely';
import { countUpTo, cutPage, placeOf, rowsToRead } from '../../platform/database/newest-first.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type OrderRefund, withRefunds } from '../orders/order-refunds.queries.ts';
import { categoryOfLine, type OrderLine, orderColumns } from '../orders/orders.queries.ts';
import { allListed, newestListed, type OrderFilter } from './order-filter.queries.ts';
import { type FoundOrders, searchOrders } from './order-search.queries.ts';

/** An order with its lines and whoever has it. */
export type DeskOrder = OrderRow & {
  lines: OrderLine[];
  refunds: OrderRefund[];
  user_name: string | null;
  user_email: string | null;
};

/** One page of all orders of a type, newest first, and how many there are. */
export async function listOrders(
  db: Database,
  filter: OrderFilter,
): Promise<{ rows: DeskOrder[]; nextCursor: string | null } & Omit<FoundOrders, 'ids'>> {
  const { ids, ...found } = filter.q
    ? await searchOrders(db, filter, filter.q)
    : await newestOrders(db, filter);
  return { ...cutPage(await readOrders(db, ids), filter), ...found };
}

async function newestOrders(db: Database, filter: OrderFilter): Promise<FoundOrders> {
  const page = sql<{ id: string }>`SELECT id FROM (${newestListed(filter, rowsToRead(filter))}) AS page`;
  const all = allListed({ ...filter, cursor: undefined });
  const [{ rows }, counted] = await Promise.all([page.execute(db), countUpTo(db, all)]);
  return { ids: rows.map(({ id }) => id), ...counted };
}

/** Newest first. */
export async function readOrders(
  db: Database,
  ids: readonly string[],
): Promise<(DeskOrder & { place: string[] })[]> {
  const { rows } = await sql<Omit<DeskOrder, 'refunds'> & { place: string[] }>`
    SELECT ${sql.join(orderColumns.map((column) => sql.ref(`orders.${column}`)))}, ${placeOf('orders')},
      users.name AS user_name, users.email AS user_email,
      (SELECT coalesce(json_agg(lines ORDER BY position), '[]') FROM (
        SELECT order_lines.*, ${categoryOfLine} FROM order_lines WHERE order_id = orders.id) AS lines) AS lines
    FROM orders LEFT JOIN users ON users.id = orders.user_id
    WHERE orders.id = ANY (${ids}::uuid[])
    ORDER BY orders.created_at DESC, orders.id DESC`.execute(db);
  return withRefunds(db, rows);
}
