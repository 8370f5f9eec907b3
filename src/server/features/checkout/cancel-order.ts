import type { Deps } from '../../deps.ts';
import { returnFlashUnits } from '../catalog/catalog.queries.ts';
import { releaseItems } from '../inventory/inventory.queries.ts';
import { type CancelReason, lockOrder, markCancelled } from '../orders/orders.queries.ts';

/** Cancels an order on our side and puts its goods back on sale; the provider must have said no before. */
export async function cancelOrder(deps: Deps, orderId: string, reason: CancelReason): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state !== 'pending' && order.state !== 'capturing') return;
    await returnFlashUnits(trx, orderId);
    await releaseItems(trx, orderId);
    await markCancelled(trx, orderId, reason, deps.clock.now());
  });
  deps.crashPoint('goods-released');
}
