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
 * Cancels an unpaid order in the shop and puts its goods back on sale. No effect on a paid or cancelled order. The
 * caller must first cancel the payment at the provider: otherwise goods would be on sale whose payment can still be
 * captured. `alsoWrite` writes in the same transaction. The provider's event about the cancelled payment names no
 * reason and may be handled first; then this call still writes `reason` and `alsoWrite`.
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
 * Cancels an order whose money was captured outside of the shop, or refunded at the provider already, and refunds what
 * is left. Nothing is delivered.
 */
export async function refundUndelivered(
  deps: Deps,
  orderId: string,
  refund: { reason: string; capturedCents: number },
): Promise<void> {
  await cancelOrder(deps, orderId, 'payment-failed');
  await refundAllThatIsLeft(deps, orderId, refund);
}
