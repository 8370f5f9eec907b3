import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { returnTakenUnits } from '../catalog/counted-stock.queries.ts';
import { releaseItems } from '../inventory/inventory.queries.ts';
import { isOpen } from '../orders/order-status.ts';
import { type CancelReason, lockOrder, updateOrder } from '../orders/orders.queries.ts';
import { refundAllThatIsLeft } from '../orders/refund-order.ts';
import { endLateAlert } from './late-orders.ts';

/**
 * Cancels an unpaid order in the shop and puts its goods back on sale; without effect on an order that is paid or
 * cancelled. The caller must have cancelled the payment at the provider before, or else the goods of a payment that can
 * still be taken are on sale. `alsoWrite` writes in the same transaction. The provider announces that cancel by an
 * event, which names no reason and may be handled first: then `reason` and `alsoWrite` are still written.
 */
export async function cancelOrder(
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite?: (trx: Transaction, order: OrderRow) => Promise<void>,
): Promise<void> {
  const isCancelled = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state === 'cancelled' && order.cancel_reason === 'payment-failed' && reason !== 'payment-failed') {
      await updateOrder(trx, orderId, { cancel_reason: reason });
      if (alsoWrite) await alsoWrite(trx, order);
      return false;
    }
    if (!isOpen(order)) return false;
    await returnTakenUnits(trx, orderId, deps.clock.now());
    await releaseItems(trx, orderId);
    const cancelled = { state: 'cancelled', cancel_reason: reason, cancelled_at: deps.clock.now() } as const;
    await updateOrder(trx, orderId, { ...cancelled, sweep_at: null });
    await endLateAlert(trx, order, cancelled.cancelled_at);
    if (alsoWrite) await alsoWrite(trx, order);
    return true;
  });
  if (isCancelled) deps.metrics.order('cancelled');
  deps.crashPoint('goods-released');
}

/**
 * Ends an order without delivering it, and gives back its money, which was captured past the shop or is refunded at the
 * provider already.
 */
export async function refundUndelivered(
  deps: Deps,
  orderId: string,
  refund: { reason: string; capturedCents: number },
): Promise<void> {
  await cancelOrder(deps, orderId, 'payment-failed');
  await refundAllThatIsLeft(deps, orderId, refund);
}
