import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { keepUser } from '../accounts/accounts.queries.ts';
import type { Actor } from '../audit/write-audit.ts';
import { findOrder, lockOrder } from '../orders/orders.queries.ts';

/** The order, locked; throws NOT_FOUND. The administrator's row is locked first, since a refund refers to it. */
export async function lockDeskOrder(trx: Transaction, orderId: string, actor: Actor): Promise<OrderRow> {
  if (!(await findOrder(trx, orderId))) throw new AppError('NOT_FOUND', 'Order not found');
  if (actor.userId !== null) await keepUser(trx, actor.userId);
  return lockOrder(trx, orderId);
}
