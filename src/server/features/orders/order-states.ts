import type { OrderRow } from '../../platform/database/tables.ts';

/** Whether an order's money was captured, whatever became of it afterwards. */
export const isPaid = (order: OrderRow): boolean =>
  !['pending', 'capturing', 'cancelled'].includes(order.state);
