import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { type CancelReason, getOrder } from '../orders/orders.queries.ts';
import { cancelOrder } from './cancel-order.ts';
import { ensureIntent } from './ensure-intent.ts';
import { endHold, MAX_HOLD_MS, prolongHold } from './holds.queries.ts';
import { refundUndelivered } from './refund-order.ts';
import { settleOrder } from './settle-order.ts';

/** How long after the page is closed or reloaded its buyer may come back. */
const CLOSED_FOR_MS = 60_000;

/**
 * Ends an unpaid order: cancels at the provider first, and only when the provider says `canceled` puts the goods back on
 * sale. If the card was authorised after all, the order is settled instead.
 */
export async function releaseOrder(
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite?: Parameters<typeof cancelOrder>[3],
): Promise<void> {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'pending') return;
  return release(deps, orderId, await ensureIntent(deps, order), reason, alsoWrite);
}

/**
 * The same for an order whose hold is over, or whose buyer has left. While the provider says that the card is being
 * authenticated or processed, the goods stay held, up to 15 minutes in all.
 */
export async function releaseIdleOrder(deps: Deps, orderId: string): Promise<void> {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'pending') return;
  const found = await ensureIntent(deps, order);
  const now = deps.clock.now();
  const isConfirming = found.status === 'requires_action' || found.status === 'processing';
  if (isConfirming && now.getTime() < order.created_at.getTime() + MAX_HOLD_MS) {
    return prolongHold(deps.db, order, now);
  }
  return release(deps, orderId, found, 'abandoned');
}

/**
 * The buyer has left the checkout. When they went to another screen, the goods go back at once; when the page was closed,
 * after 60 s, since a page that is reloaded closes, too. Never while the card is being confirmed or after it was
 * authorised; what fails here the sweeper does.
 */
export async function abandonOrder(
  deps: Deps,
  order: OrderRow,
  { pageIsClosed }: { pageIsClosed: boolean },
): Promise<void> {
  const now = deps.clock.now();
  if (pageIsClosed) return endHold(deps.db, order.id, new Date(now.getTime() + CLOSED_FOR_MS));
  await endHold(deps.db, order.id, now);
  await releaseIdleOrder(deps, order.id);
}

async function release(
  deps: Deps,
  orderId: string,
  found: PaymentIntent,
  reason: CancelReason,
  alsoWrite?: Parameters<typeof cancelOrder>[3],
): Promise<void> {
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
