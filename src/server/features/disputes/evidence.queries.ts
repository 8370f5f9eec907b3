import { type Database, rowsOf } from '../../platform/database/open-database.ts';

/** A delivered unit of an order, and each time it was shown to its buyer. Never contains the secret. */
export interface ReadUnit {
  name: string;
  unit: number;
  deliveredAt: Date;
  replaced: boolean;
  readings: { at: string; ip: string; userAgent: string; account: string | null }[];
}

/** In the sequence of the order's lines. */
export const listDeliveredUnits = (db: Database, orderId: string) => rowsOf<ReadUnit>(db)`
  SELECT name, unit, items.delivered_at AS "deliveredAt", replaced_by IS NOT NULL AS replaced, coalesce((
    SELECT json_agg(json_build_object('at', at, 'ip', reveals.ip, 'userAgent', user_agent, 'account', users.email) ORDER BY at)
    FROM reveals LEFT JOIN users ON users.id = reveals.user_id
    WHERE item_id = items.id AND reveals.order_id = order_lines.order_id AND reason IS NULL), '[]') AS readings
  FROM order_lines JOIN items ON order_line_id = order_lines.id
  WHERE order_lines.order_id = ${orderId} AND items.delivered_at IS NOT NULL
  ORDER BY position, unit, items.delivered_at`;
