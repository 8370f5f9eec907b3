import type { Deps } from '../../deps.ts';
import { endAlertsOfOrder, raiseAlert } from '../admin/alerts.queries.ts';
import { storeIntent } from '../checkout/checkout.queries.ts';
import { followClaims } from '../checkout/follow-claims.ts';
import { reportUnknown } from '../checkout/reconcile-payments.ts';
import { settleIfAuthorised } from '../checkout/settle-order.ts';
import { refundRestIfGivenAtProvider } from '../orders/follow-given-at-provider.ts';
import { isOpen } from '../orders/order-status.ts';
import { findOrderByIntent, getOrder } from '../orders/orders.queries.ts';
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
} from './recovery.queries.ts';

/**
 * Checks the orders that a restore holds back against the provider's payments, refunds and claims since the backup.
 * Releases the orders of which nothing was refunded, claimed, or sold to another buyer. Every other order stays held
 * back, with an alert, until an administrator enters its refunds or unfreezes it. An order that cannot be checked stays
 * held back until the next run. A payment whose order is missing raises an alert, too.
 */
export async function checkHeldBack(deps: Deps): Promise<void> {
  const { db, clock } = deps;
  const takenAt = await findBackupToCompare(db);
  if (!takenAt) return;
  const isFirst = !(await isCompared(db));
  // An order that another process holds back from now on may be one that this comparison does not find.
  const heldBefore = await listHeldBack(db);
  const { missing, unknownIntents, refundedIntents, claimedIntents, lostItems } = await comparePayments(deps);
  // The backup may be older than the period that reconcilePayments checks.
  for (const { intent } of missing) await reportUnknown(deps, intent, intent.orderId ?? '');
  for (const { id, orderId } of unknownIntents) await storeIntent(db, orderId, id);
  await markResold(db, [...lostItems.keys()], clock.now());

  const resold = new Set((await listResold(db)).map(({ orderId }) => orderId));
  const questioned = new Set(resold);
  for (const intentId of new Set([...refundedIntents, ...claimedIntents])) {
    const order = await findOrderByIntent(db, intentId);
    if (order) questioned.add(order.id);
  }
  const kept = new Set<string>();
  for (const orderId of questioned) {
    try {
      if (!(await isReleasable(deps, orderId, { isResold: resold.has(orderId), claimedIntents, takenAt })))
        kept.add(orderId);
    } catch (error) {
      deps.log.error({ err: error, orderId }, 'an order of a restored backup could not be checked');
      kept.add(orderId);
    }
  }
  const cleared = heldBefore.filter((orderId) => !kept.has(orderId));
  await endHoldingBack(db, cleared, isFirst ? null : clock.now());
  for (const orderId of isFirst ? [] : cleared) await endAlertsOfOrder(db, orderId, ['held-back'], clock.now());
  await markCompared(db, clock.now());
}

/** Whether an order can be released: false while its outcome is unknown, or when a person must decide. */
async function isReleasable(
  deps: Deps,
  orderId: string,
  { isResold, claimedIntents, takenAt }: { isResold: boolean; claimedIntents: ReadonlySet<string>; takenAt: Date },
): Promise<boolean> {
  // Only refunds of a delivered order are recorded. The sweeper cancels an order that can no longer be paid.
  await settleIfAuthorised(deps, orderId);
  const order = await getOrder(deps.db, orderId);
  if (isOpen(order)) return false;
  if (order.state !== 'fulfilled') return true;
  if (claimedIntents.has(order.payment_intent_id ?? '')) await followClaims(deps, order);
  const { unknownCents } = await refundRestIfGivenAtProvider(deps, order);
  const isOver = (await getOrder(deps.db, orderId)).state !== 'fulfilled';
  if (isOver || (unknownCents === 0 && !isResold)) return true;
  await holdOrderBack(deps.db, orderId, deps.clock.now());
  const message = 'an order of a restored backup is held back';
  await raiseAlert(deps, { kind: 'held-back', subject: `${orderId}/${takenAt.toISOString()}`, orderId, message });
  return false;
}
