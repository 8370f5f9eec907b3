import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { networkOf } from '../../platform/http/ip-address.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import type { KeysOf } from '../../platform/rate-limits/rules.ts';
import { type CancelReason, getOrder } from '../orders/orders.queries.ts';
import { cancelOrder, refundUndelivered } from './cancel-order.ts';
import { endHold, insertDecline, listOrdersToClose, MAX_HOLD_MS, prolongHold } from './holds.queries.ts';
import { ensureIntent } from './payment-intent.ts';
import { settleOrder } from './settle-order.ts';

/** Writes in the transaction that cancels the order. */
type AlsoWrite = Parameters<typeof cancelOrder>[3];

/** After the page is closed or reloaded, the buyer may come back. */
const CLOSED_FOR_MS = 60_000;

/**
 * Ends an unpaid order: cancels at the provider first, and only when the provider says `canceled` puts the goods back on
 * sale. If the card was authorised after all, the order is settled instead.
 */
export async function releaseOrder(deps: Deps, orderId: string, reason: CancelReason, alsoWrite?: AlsoWrite) {
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'pending') return;
  return release(deps, orderId, await ensureIntent(deps, order), reason, alsoWrite);
}

/**
 * The same for an order whose hold has ended, or whose buyer has left. While the provider says that the card is being
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
 * The buyer has left the checkout: for another screen, and the goods are released at once; or the page was closed, and they
 * are released after 60 s, since reloading closes a page, too. While the card is being confirmed, and after it was
 * authorised, nothing is released. The sweeper does what fails here.
 */
export async function abandonOrder(deps: Deps, order: Pick<OrderRow, 'id'>, pageIsClosed: boolean): Promise<void> {
  const now = deps.clock.now();
  if (pageIsClosed) return endHold(deps.db, order.id, new Date(now.getTime() + CLOSED_FOR_MS));
  await endHold(deps.db, order.id, now);
  await releaseIdleOrder(deps, order.id);
}

async function release(deps: Deps, orderId: string, found: PaymentIntent, reason: CancelReason, alsoWrite?: AlsoWrite) {
  if (found.status === 'processing') return;
  const authorised = found.status === 'requires_capture' || found.status === 'succeeded';
  if (authorised && (await settledAsOwn(deps, orderId))) return;

  const left = await deps.payments.cancelIntent({ intentId: found.id, orderId });
  deps.crashPoint('cancelled-at-provider');
  if (left.status === 'canceled') return cancelOrder(deps, orderId, reason, alsoWrite);
  if (left.status !== 'succeeded' || (await settledAsOwn(deps, orderId))) return;

  // Captured without us and not for this order's amount: nothing is delivered for the money, so it is refunded.
  await refundUndelivered(deps, orderId, 'The payment was not the order’s');
}

/** False when the money is not this order's: then nothing may be delivered. */
async function settledAsOwn(deps: Deps, orderId: string): Promise<boolean> {
  try {
    await settleOrder(deps, orderId);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'PAYMENT_MISMATCH') return false;
    throw error;
  }
}

/**
 * Counts a declined card, once for each `declineId`: the webhook and the buyer's browser both report it. An IP address or a
 * user with 20 declines is trying out stolen cards, and can try one card after another on every open payment, at the
 * provider, without a call to the shop. So openPayment refuses new payments, and open ones are closed: those of the same
 * browser or user, and at the IP address those that were declined themselves. A neighbour's payment stays open.
 */
export async function countDecline(deps: Deps, order: OrderRow, declineId: string): Promise<void> {
  const { id: orderId, ip, user_id: user } = order;
  const isNew = await insertDecline(deps.db, { id: declineId, order_id: orderId, at: deps.clock.now() });
  const { limits } = deps;
  const ipUsedUp = ip !== '' && (await isUsedUp('decline', { address: ip }));
  const userUsedUp = user !== null && (await isUsedUp('customer-decline', { user }));
  if (!ipUsedUp && !userUsedUp) return;
  const open = await listOrdersToClose(deps.db, order);
  const toClose = open.filter((other) => other.same_buyer || (ipUsedUp && networkOf(other.ip) === networkOf(ip)));
  await Promise.all(toClose.map(({ id }) => releaseOrder(deps, id, 'payment-failed')));

  async function isUsedUp<R extends 'decline' | 'customer-decline'>(rule: R, keys: KeysOf<R>): Promise<boolean> {
    try {
      if (isNew) await limits.count(rule, keys);
      await limits.assertLeft(rule, keys);
      return false;
    } catch (error) {
      if (error instanceof AppError && error.code === 'RATE_LIMITED') return true;
      throw error;
    }
  }
}
