import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { raiseAlert } from '../admin/alerts.queries.ts';
import { storeIntent } from '../checkout/checkout.queries.ts';
import { followClaims } from '../checkout/follow-claims.ts';
import { settleOrder } from '../checkout/settle-order.ts';
import { isPaid } from '../orders/order-status.ts';
import { findOrderByIntent, getOrder } from '../orders/orders.queries.ts';
import { followRefund } from '../orders/refund-order.ts';
import { comparePayments } from './compare-payments.ts';
import {
  endHoldingBack,
  findBackupToCompare,
  holdOrderBack,
  isCompared,
  listHeldBack,
  listResold,
  markCompared,
  markResold,
} from './held-back.queries.ts';

/**
 * Goes through the orders that a restore holds back, with what the provider knows of the time since the backup. Those of which
 * nothing was given back, claimed, or sold to another go on as if nothing had been. Of the others each stays held back, with an
 * alert, until an administrator has entered on its page what was given back, or lets its buyer have it all. An order that cannot be
 * looked at stays held back, too, until the next time.
 */
export async function checkHeldBack(deps: Deps): Promise<void> {
  const { db, clock } = deps;
  if (!(await findBackupToCompare(db))) return;
  const isFirst = !(await isCompared(db));
  const { unknownIntents, refundedIntents, claimedIntents, lostItems } = await comparePayments(deps);
  for (const { id, orderId } of unknownIntents) await storeIntent(db, orderId, id);
  await markResold(db, [...lostItems.keys()], clock.now());

  const doubtful = new Set((await listResold(db)).map(({ orderId }) => orderId));
  for (const intentId of new Set([...refundedIntents, ...claimedIntents])) {
    const order = await findOrderByIntent(db, intentId);
    if (!order) continue;
    try {
      if (await hasUnknownRefund(deps, order.id, claimedIntents.has(intentId))) doubtful.add(order.id);
    } catch (error) {
      deps.log.error({ err: error, orderId: order.id }, 'an order of a restored backup could not be looked at');
      doubtful.add(order.id);
    }
  }
  for (const orderId of doubtful) {
    await holdOrderBack(db, orderId, clock.now());
    const message = 'an order of a restored backup is held back';
    await raiseAlert(deps, { kind: 'held-back', subject: orderId, orderId, message });
  }
  const cleared = (await listHeldBack(db)).filter((orderId) => !doubtful.has(orderId));
  await endHoldingBack(db, cleared, isFirst ? null : clock.now());
  await markCompared(db, clock.now());
}

/** Whether the provider gave a part of the order's money back of which the shop does not know for what. */
async function hasUnknownRefund(deps: Deps, orderId: string, isClaimed: boolean): Promise<boolean> {
  await settleFirst(deps, orderId);
  if (isClaimed && (await getOrder(deps.db, orderId)).state === 'fulfilled') {
    await followClaims(deps, await getOrder(deps.db, orderId));
  }
  const order = await getOrder(deps.db, orderId);
  return order.state === 'fulfilled' && (await followRefund(deps, order)) > 0;
}

/** What is given back is given back of a delivered order. One that cannot be paid any more is given up by the sweeper. */
async function settleFirst(deps: Deps, orderId: string): Promise<void> {
  if (isPaid(await getOrder(deps.db, orderId))) return;
  try {
    await settleOrder(deps, orderId);
  } catch (error) {
    const codes = ['PAYMENT_NOT_CONFIRMED', 'PAYMENT_MISMATCH'];
    if (!(error instanceof AppError && codes.includes(error.code))) throw error;
  }
}
