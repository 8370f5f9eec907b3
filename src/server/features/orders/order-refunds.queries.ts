import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import type { OrderRow, RefundRow } from '../../platform/database/tables.ts';

/** A refund with its units, and the administrator who gave it; without units it is of all that was left. */
export type OrderRefund = RefundRow & {
  actor: string | null;
  units: { order_line_id: string; quantity: number }[];
};

/**
 * The refunds of these orders, oldest first. Only orders that can have one are asked about: part of their money has gone
 * back, or the sweeper follows them. So paying for an order, and listing delivered ones, takes no query more.
 */
export async function listRefundsOfOrders(db: Database, orders: readonly OrderRow[]): Promise<OrderRefund[]> {
  const mayHave = orders.filter((order) => order.refunded_cents > 0 || order.sweep_at !== null);
  if (mayHave.length === 0) return [];
  const { rows } = await sql<OrderRefund>`
    SELECT refunds.*, users.email AS actor,
      (SELECT coalesce(json_agg(refund_lines), '[]') FROM refund_lines WHERE refund_id = refunds.id) AS units
    FROM refunds LEFT JOIN users ON users.id = refunds.user_id
    WHERE order_id = ANY (${mayHave.map(({ id }) => id)}::uuid[])
    ORDER BY refunds.created_at, refunds.id`.execute(db);
  return rows;
}

export async function withRefunds<T extends OrderRow>(
  db: Database,
  orders: readonly T[],
): Promise<(T & { refunds: OrderRefund[] })[]> {
  const refunds = await listRefundsOfOrders(db, orders);
  return orders.map((order) => ({
    ...order,
    refunds: refunds.filter((refund) => refund.order_id === order.id),
  }));
}

/** The units of each line whose money went back, or is on its way. */
export function refundedUnitsOf(refunds: readonly OrderRefund[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { order_line_id: line, quantity } of refunds.flatMap((refund) => refund.units)) {
    units.set(line, quantity + (units.get(line) ?? 0));
  }
  return units;
}
