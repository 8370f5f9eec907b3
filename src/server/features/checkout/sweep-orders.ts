import { isAppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { DatabaseUnavailable } from '../../platform/database/database-errors.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { Finding } from '../../platform/metrics/metrics.ts';
import { raiseAlert } from '../admin/alerts.queries.ts';
import { finishRefunds } from '../orders/finish-refunds.ts';
import { isOpen } from '../orders/order-status.ts';
import { lockOrder } from '../orders/orders.queries.ts';
import { leaseOrdersToSweep } from './checkout.queries.ts';
import { MAX_HOLD_MS } from './holds.queries.ts';
import { isUnknownPayment, releaseIdleOrder, releaseMismatched } from './release-order.ts';
import { isLate, settleOrder } from './settle-order.ts';

// Orders visited at the same time. Each visit makes a few calls of the provider, which allows 100 a second.
const BATCH = 10;

/**
 * Step 8 of the money path (docs/architecture.md): visits the orders that are due. The loop runs every 5 s
 * (background-work.ts), and an order is due again 30 s after its last visit. So a paid order is delivered within a
 * minute even if the page and the webhook are both lost. An order whose refunds were refused, or only have to be
 * followed, is due an hour later (applyRefunds). A pending order is settled, or released when its hold has ended and no
 * card is being confirmed. A `capturing` order is finished, or released when its payment does not match. Refunds are
 * finished. Returns true when more orders may be due: then the loop runs again at once.
 */
export async function sweepOrders(deps: Deps): Promise<boolean> {
  const orders = await leaseOrdersToSweep(deps.db, deps.clock.now(), BATCH);
  await Promise.all(orders.map((order) => tryToSweep(deps, order)));
  return orders.length === BATCH;
}

type Due = Pick<OrderRow, 'id' | 'state' | 'hold_expires_at' | 'created_at'>;

async function tryToSweep(deps: Deps, order: Due): Promise<void> {
  let isStuck = order.state === 'capturing';
  try {
    deps.metrics.swept(await sweepOrder(deps, order));
  } catch (error) {
    deps.metrics.swept('failed');
    // While the provider or the database is away, nobody knows whether a pending order is paid. Most are not.
    isStuck ||= !isAppError(error, 'PAYMENT_PROVIDER_UNAVAILABLE') && !(error instanceof DatabaseUnavailable);
    // The next visit is already stored. One failing order must not delay the others.
    deps.log.error({ err: error, orderId: order.id }, 'the sweeper could not finish an order');
    if (order.state !== 'pending' && isUnknownPayment(error)) return alertAboutPayment(deps, order.id);
  }
  if (isStuck && isLate(order, deps.clock.now())) await alertIfOpen(deps, order.id);
}

async function sweepOrder(deps: Deps, order: Due): Promise<Finding> {
  // Any other due order has been paid and has refunds to finish.
  if (!isOpen(order)) {
    await finishRefunds(deps, order.id);
    return 'refund';
  }
  if (order.state === 'pending' && isHoldOver(order, deps.clock.now())) {
    await releaseIdleOrder(deps, order.id);
    return 'released';
  }
  try {
    await settleOrder(deps, order.id);
    return 'settled';
  } catch (error) {
    if (isAppError(error, 'PAYMENT_NOT_CONFIRMED')) return 'left';
    if (!isAppError(error, 'PAYMENT_MISMATCH') || order.state !== 'capturing') throw error;
    await releaseMismatched(deps, order.id);
    return 'released';
  }
}

/** Whether a hold has ended. No hold ends later than MAX_HOLD_MS, unless it began while the clock was ahead. */
function isHoldOver({ hold_expires_at: endsAt }: Due, now: Date): boolean {
  return endsAt <= now || endsAt.getTime() > now.getTime() + MAX_HOLD_MS;
}

/**
 * Raises an alert about an order whose payment the provider does not know, e.g. because it was made at another account.
 * The money may be there, so a person has to look before anything is undone.
 */
const alertAboutPayment = (deps: Deps, orderId: string) =>
  raiseAlert(deps, {
    kind: 'payment-not-found',
    subject: orderId,
    orderId,
    message: 'the provider does not know the payment of an order that is not finished',
  });

/** Raises an alert about an old order that the sweeper's visit has not ended: its card may have been accepted. */
async function alertIfOpen(deps: Deps, orderId: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (!isOpen(order)) return;
    const message = 'a paid order is not delivered';
    await raiseAlert({ ...deps, db: trx }, { kind: 'not-delivered', subject: orderId, orderId, message });
  });
}
