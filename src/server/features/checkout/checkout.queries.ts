import { sql } from 'kysely';
import type { OrderState } from '../../../shared/orders.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { nextSweep, orderColumns } from '../orders/orders.queries.ts';

/**
 * Turns a pending order to `capturing` and pins the goods it holds, in one statement under its row's lock, unless it
 * holds other than it ordered; an order in another state stays as it is. Answers the state the order was in.
 */
export async function pinHeldGoods(
  db: Database,
  { id, now }: { id: string; now: Date },
): Promise<{ state: OrderState; complete: boolean }> {
  const { rows } = await sql<{ state: OrderState; complete: boolean }>`
    WITH locked AS (SELECT id, state FROM orders WHERE id = ${id} FOR UPDATE),
    lines AS (
      SELECT order_lines.id, quantity FROM order_lines JOIN locked ON locked.id = order_id WHERE locked.state = 'pending'
    ),
    held AS (
      SELECT items.id FROM items JOIN lines ON order_line_id = lines.id WHERE items.state = 'held'
    ),
    checked AS (
      SELECT id, state, (SELECT count(*) FROM held) = (SELECT coalesce(sum(quantity), 0) FROM lines) AS complete FROM locked
    ),
    pinned AS (
      UPDATE items SET state = 'allocated' FROM held, checked WHERE items.id = held.id AND complete
    ),
    marked AS (
      UPDATE orders SET state = 'capturing', sweep_at = ${nextSweep(now)} FROM checked
      WHERE orders.id = checked.id AND checked.state = 'pending' AND complete
    )
    SELECT state, complete FROM checked`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`There is no order ${id}`);
  return row;
}

/** Sells what is pinned for an order, and calls the order fulfilled. */
export async function fulfilOrder(
  trx: Transaction,
  fulfilled: { id: string; userId: string | null; madeAccount: boolean; now: Date },
): Promise<OrderRow> {
  return trx
    .with('sold', (db) =>
      db
        .updateTable('items')
        .set({ state: 'sold', delivered_at: fulfilled.now })
        .where(
          'order_line_id',
          'in',
          db.selectFrom('order_lines').select('id').where('order_id', '=', fulfilled.id),
        )
        .where('state', '=', 'allocated'),
    )
    .updateTable('orders')
    .set({
      state: 'fulfilled',
      user_id: fulfilled.userId,
      made_account: fulfilled.madeAccount,
      paid_at: fulfilled.now,
      fulfilled_at: fulfilled.now,
      sweep_at: null,
    })
    .where('id', '=', fulfilled.id)
    .returning(orderColumns)
    .executeTakeFirstOrThrow();
}
