import { MINUTE_MS } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { endAlertsOfOrder } from '../admin/alerts.queries.ts';
import { returnTakenUnits } from '../catalog/counted-stock.queries.ts';
import { releaseItems } from '../inventory/inventory.queries.ts';
import { isOpen } from '../orders/order-status.ts';
import { type CancelReason, lockOrder, updateOrder } from '../orders/orders.queries.ts';
import { refundAllThatIsLeft } from '../orders/refund-order.ts';
import { MAX_HOLD_MS } from './holds.queries.ts';

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

// The alert KedaiPaidNotDelivered of Prometheus waits as long (deploy/monitoring/alerts.yml).
const LATE_AFTER_MS = MAX_HOLD_MS + 5 * MINUTE_MS;

type Dated = Pick<OrderRow, 'id' | 'created_at'>;

export const isLate = ({ created_at: createdAt }: Dated, now: Date) =>
  now.getTime() - createdAt.getTime() > LATE_AFTER_MS;

/** Ends the alert about a late order. Called in the transaction that delivers or cancels the order. */
export async function endLateAlert(trx: Transaction, order: Dated, now: Date): Promise<void> {
  if (isLate(order, now)) await endAlertsOfOrder(trx, order.id, ['not-delivered'], now);
}
