import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { ProviderRefund } from '../../platform/payments/payments.ts';
import { isAlertRaised, listAcknowledgedParts, raiseAlert } from '../admin/alerts.queries.ts';
import { finishRefunds } from './finish-refunds.ts';
import { followRefunds, givenBackCentsOf, listGivenByHand, unknownCentsOf } from './follow-refunds.ts';
import { lockOrder } from './orders.queries.ts';
import { beginRefund, refundAllThatIsLeft } from './refund-order.ts';
import { listRefunds, sumOf } from './refunds.queries.ts';

const REASON = 'Refunded at the provider';

/**
 * Follows the order's refunds at the provider (refundRestIfGivenAtProvider). Raises an alert about a partial refund in
 * the dashboard, because a person must decide which goods it was for. After a lost dispute, no goods are left to decide
 * on, and the part is recorded.
 */
export async function followGivenAtProvider(deps: Deps, order: OrderRow): Promise<void> {
  const { unknownCents, byHand, all } = await refundRestIfGivenAtProvider(deps, order);
  if (unknownCents === 0 || (await recordAfterLoss(deps, order.id, all))) return;
  // Each further partial refund has its own alert, even if our refunds account for the earlier ones. The alert names
  // the newest one, so that its acknowledgement is about this one and the earlier ones (readAcknowledged).
  const subject = `${order.payment_intent_id}/${byHand[0]?.id}`;
  // An alert of an earlier version names the sum of them instead.
  const earlier = { kind: 'partial-refund', subject: `${order.payment_intent_id}/${sumOf(byHand)}` } as const;
  if (await isAlertRaised(deps.db, earlier)) return;
  const message = 'an order was refunded in part';
  await raiseAlert(deps, { kind: 'partial-refund', subject, orderId: order.id, message });
}

/**
 * Follows the order's refunds at the provider. If the refunds there, together with those settled in another way, cover
 * the order's total, the rest of the order is refunded in the shop, too. `byHand`: the refunds in the provider's
 * dashboard, newest first. `unknownCents`: the cents of them that no refund of ours accounts for, about which a person
 * must decide. `all`: the provider's list.
 */
export async function refundRestIfGivenAtProvider(
  deps: Deps,
  order: OrderRow,
): Promise<{ unknownCents: number; byHand: readonly ProviderRefund[]; all: readonly ProviderRefund[] }> {
  const all = await followRefunds(deps, order);
  const ours = await listRefunds(deps.db, [order.id]);
  const byHand = listGivenByHand(all, ours);
  if (givenBackCentsOf(all, ours) < order.total_cents) {
    return { unknownCents: unknownCentsOf(all, ours), byHand, all };
  }
  await refundAllThatIsLeft(deps, order.id, { reason: REASON, isGivenBack: true });
  return { unknownCents: 0, byHand, all };
}

/**
 * Records a part that was refunded in the dashboard as a refund of an amount, if a lost dispute has withdrawn the
 * goods. False for any other order, and if an administrator acknowledged that a part was for something else.
 */
async function recordAfterLoss(deps: Deps, orderId: string, all: readonly ProviderRefund[]): Promise<boolean> {
  const isLost = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state !== 'disputed' || (await listAcknowledgedParts(trx, orderId)).length > 0) return false;
    // Another call may have recorded it since the list was read.
    const cents = unknownCentsOf(all, await listRefunds(trx, [orderId]));
    if (cents > 0) await beginRefund(deps, trx, order, { reason: REASON, amount: toDollars(cents) });
    return true;
  });
  if (isLost) await finishRefunds(deps, orderId);
  return isLost;
}
