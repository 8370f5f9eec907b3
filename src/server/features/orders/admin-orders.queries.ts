import { sql } from 'kysely';
import { placeOf } from '../../platform/database/list-queries.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { AuditRow, ItemRow } from '../../platform/database/tables.ts';
import { type FullOrder, orderColumns, withLinesAndRefunds } from './orders.queries.ts';

/** An order with its buyer's account. */
export type AdminOrderRow = FullOrder & { user_name: string | null; user_email: string | null };
export type OrderAuditEntry = Pick<AuditRow, 'at' | 'actor' | 'action' | 'summary'>;
export type OrderMail = { kind: string; recipient: string; created_at: Date; sent_at: Date | null };
/** How often the buyer saw items of an order; for an administrator one row each time, with the reason. */
export type OrderReveal = { first_at: Date; times: number; reason: string | null; name: string | null };

/** Newest first. */
export async function readAdminOrders(
  db: Database,
  ids: readonly string[],
): Promise<(AdminOrderRow & { place: string[] })[]> {
  const orders = await db
    .selectFrom('orders')
    .leftJoin('users', 'users.id', 'orders.user_id')
    .select(orderColumns.map((column) => `orders.${column}` as const))
    .select(['users.name as user_name', 'users.email as user_email'])
    .select(placeOf('orders'))
    .where('orders.id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .orderBy('orders.created_at', 'desc')
    .orderBy('orders.id', 'desc')
    .execute();
  return withLinesAndRefunds(db, orders);
}

/** Every item that a unit of the order ever had, also those that were withdrawn or replaced. */
export function listItemsOfOrder(db: Database, orderId: string): Promise<ItemRow[]> {
  return db
    .selectFrom('items')
    .innerJoin('order_lines', 'order_lines.id', 'items.order_line_id')
    .selectAll('items')
    .where('order_lines.order_id', '=', orderId)
    .orderBy('order_lines.position')
    .orderBy('items.unit')
    .orderBy('items.delivered_at')
    .execute();
}

export function listMailsOfOrder(db: Database, orderId: string): Promise<OrderMail[]> {
  return db
    .selectFrom('mails')
    .select(['kind', 'recipient', 'created_at', 'sent_at'])
    .where('order_id', '=', orderId)
    .orderBy('created_at')
    .execute();
}

export async function listRevealsOfOrder(db: Database, orderId: string): Promise<OrderReveal[]> {
  const { rows } = await sql<OrderReveal>`
    SELECT min(reveals.at) AS first_at, count(DISTINCT reveals.at)::integer AS times, reveals.reason,
      CASE WHEN reveals.reason IS NOT NULL THEN max(users.email) END AS name
    FROM order_lines JOIN items ON items.order_line_id = order_lines.id JOIN reveals ON reveals.item_id = items.id
      LEFT JOIN users ON users.id = reveals.user_id
    WHERE order_lines.order_id = ${orderId} AND reveals.order_id = ${orderId}
    GROUP BY reveals.reason, CASE WHEN reveals.reason IS NOT NULL THEN reveals.id END`.execute(db);
  return rows;
}

/** Of the audit log, oldest first. */
export function listAuditOfOrder(db: Database, orderId: string): Promise<OrderAuditEntry[]> {
  return db
    .selectFrom('audit_log')
    .select(['at', 'actor', 'action', 'summary'])
    .where('subject_id', '=', orderId)
    .where('subject_type', '=', 'order')
    .orderBy('id')
    .execute();
}
