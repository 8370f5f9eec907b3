import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { claimOrdersToSweep } from '../orders/orders.queries.ts';
import { finishRefund } from './refund-order.ts';
import { releaseOrder } from './release-order.ts';
import { settleOrder } from './settle-order.ts';

const BATCH = 20;

/**
 * Step 4 of the money path: carries on with every order that is due, whoever left it. A pending one is looked at twice
 * a minute, so that a payment whose page and webhook are both lost is still delivered within the minute, and is given
 * up when its hold is over; a `capturing` or `refunding` one is finished. Answers how many orders it looked at.
 */
export async function sweepOrders(deps: Deps): Promise<number> {
  const orders = await claimOrdersToSweep(deps.db, { now: deps.clock.now(), limit: BATCH });
  for (const order of orders) {
    try {
      await sweepOrder(deps, order);
    } catch (error) {
      // The next look is already written down; one order's trouble must not keep the others waiting.
      deps.log.error({ err: error, orderId: order.id }, 'the sweeper could not finish an order');
    }
  }
  return orders.length;
}

type Due = Awaited<ReturnType<typeof claimOrdersToSweep>>[number];

async function sweepOrder(deps: Deps, order: Due): Promise<void> {
  if (order.state === 'refunding') return finishRefund(deps, order.id);
  const holdIsOver = order.hold_expires_at <= deps.clock.now();
  if (order.state === 'pending' && holdIsOver) return releaseOrder(deps, order.id, 'abandoned');
  try {
    await settleOrder(deps, order.id);
  } catch (error) {
    const stillUnpaid = error instanceof AppError && error.code === 'PAYMENT_NOT_CONFIRMED';
    if (!stillUnpaid) throw error;
  }
}
