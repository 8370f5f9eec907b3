import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import type { AuditRow, ItemRow } from '../../platform/database/tables.ts';

export type DeskDeed = Pick<AuditRow, 'at' | 'actor' | 'action' | 'summary'>;
export type DeskMail = { kind: string; recipient: string; created_at: Date; sent_at: Date | null };
/** How often somebody saw items of an order, buyers together; an administrator each time, with the reason. */
export type DeskReveal = { first_at: Date; times: number; reason: string | null; name: string | null };

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

export function listMailsOfOrder(db: Database, orderId: string): Promise<DeskMail[]> {
  return db
    .selectFrom('mails')
    .select(['kind', 'recipient', 'created_at', 'sent_at'])
    .where('order_id', '=', orderId)
    .orderBy('created_at')
    .execute();
}

export async function listRevealsOfOrder(db: Database, orderId: string): Promise<DeskReveal[]> {
  const { rows } = await sql<DeskReveal>`
    SELECT min(reveals.at) AS first_at, count(DISTINCT reveals.at)::integer AS times, reveals.reason,
      CASE WHEN reveals.reason IS NOT NULL THEN max(users.email) END AS name
    FROM order_lines JOIN items ON items.order_line_id = order_lines.id JOIN reveals ON reveals.item_id = items.id
      LEFT JOIN users ON users.id = reveals.user_id
    WHERE order_lines.order_id = ${orderId} AND reveals.order_id = ${orderId}
    GROUP BY reveals.reason, CASE WHEN reveals.reason IS NOT NULL THEN reveals.id END`.execute(db);
  return rows;
}

/** Of the audit log, oldest first. */
export function listDeedsOnOrder(db: Database, orderId: string): Promise<DeskDeed[]> {
  return db
    .selectFrom('audit_log')
    .select(['at', 'actor', 'action', 'summary'])
    .where('subject_id', '=', orderId)
    .where('subject_type', '=', 'order')
    .orderBy('id')
    .execute();
}
