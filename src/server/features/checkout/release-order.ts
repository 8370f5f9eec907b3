import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type CancelReason, getOrder } from '../orders/orders.queries.ts';
import { cancelOrder } from './cancel-order.ts';
import { ensureIntent } from './ensure-intent.ts';
import { refundUndelivered } from './refund-order.ts';
import { settleOrder } from './settle-order.ts';

/**
 * Ends an order that nobody is paying: cancels at the provider first, and only when the provider says `canceled` puts
 * the goods back on sale. If the card was authorised after all, the order is settled instead.
 */
export async function releaseOrder(
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite?: Parameters<typeof cancelOrder>[3],
): Promise<void> {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'pending') return;

  const found = await ensureIntent(deps, order);
  if (found.status === 'processing') return;
  const authorised = found.status === 'requires_capture' || found.status === 'succeeded';
  if (authorised && (await settledAsOwn(deps, orderId))) return;

  const left = await deps.payments.cancelIntent({ intentId: found.id, orderId });
  deps.crashPoint('cancelled-at-provider');
  if (left.status === 'canceled') return cancelOrder(deps, orderId, reason, alsoWrite);
  if (left.status !== 'succeeded' || (await settledAsOwn(deps, orderId))) return;

  // Captured behind our back and not for this order's amount: nothing is delivered for it, so it goes back.
  await refundUndelivered(deps, orderId, 'The payment was not the order’s');
}

/** False when the money is not this order's, which must never lead to a delivery. */
async function settledAsOwn(deps: Deps, orderId: string): Promise<boolean> {
  try {
    await settleOrder(deps, orderId);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'PAYMENT_MISMATCH') return false;
    throw error;
  }
}
