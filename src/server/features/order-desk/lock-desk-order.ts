import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { findOrder, lockOrder } from '../orders/orders.queries.ts';

/** The order, locked; throws NOT_FOUND. */
export async function lockDeskOrder(trx: Transaction, orderId: string): Promise<OrderRow> {
  if (!(await findOrder(trx, orderId))) throw new AppError('NOT_FOUND', 'Order not found');
  return lockOrder(trx, orderId);
}
