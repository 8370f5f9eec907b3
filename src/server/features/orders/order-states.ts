import type { OrderRow } from '../../platform/database/tables.ts';

/** Whether an order's money was captured, whatever became of it afterwards. */
export const isPaid = (order: OrderRow): boolean =>
  !['pending', 'capturing', 'cancelled'].includes(order.state);

/**
 * Paid by a guest with the e-mail of an account that never verified it: the order is nobody's until somebody proves that
 * the mailbox is theirs (docs/security.md).
 */
export const waitsForEmail = (order: OrderRow): boolean =>
  order.guest && order.user_id === null && order.state === 'fulfilled';
