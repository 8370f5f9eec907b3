import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { returnFlashUnits } from '../catalog/product-units.queries.ts';
import { releaseItems } from '../inventory/inventory.queries.ts';
import { type CancelReason, lockOrder, markCancelled } from '../orders/orders.queries.ts';

/**
 * Cancels an order on our side and puts its goods back on sale; the provider must have said no before. `alsoWrite` is done
 * in the same transaction.
 */
export async function cancelOrder(
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite?: (trx: Transaction, order: OrderRow) => Promise<void>,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state !== 'pending' && order.state !== 'capturing') return;
    await returnFlashUnits(trx, orderId);
    await releaseItems(trx, orderId);
    await markCancelled(trx, orderId, reason, deps.clock.now());
    if (alsoWrite) await alsoWrite(trx, order);
  });
  deps.crashPoint('goods-released');
}
