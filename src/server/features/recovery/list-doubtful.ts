import type { Deps } from '../../deps.ts';
import { givenBackCentsOf, unknownCentsOf } from '../orders/follow-refunds.ts';
import { isOpen } from '../orders/order-status.ts';
import { findOrderByIntent } from '../orders/orders.queries.ts';
import { listRefunds } from '../orders/refunds.queries.ts';
import type { RestoredPayments } from './compare-payments.ts';
import { listHeldBack, listOrdersOfItems } from './held-back.queries.ts';

/** An order with refunds since the backup, or with items that may belong to another buyer. */
export interface DoubtfulOrder {
  orderId: string;
  /** Refunded at the provider, and not recorded in the shop. */
  unknownCents: number;
  /** The payments that name the items that may belong to another buyer. */
  payments: string[];
}

/** Lists the held-back orders that a person must decide on. `held` is the number of all held-back orders. */
export async function listDoubtful(
  { db, payments }: Pick<Deps, 'db' | 'payments'>,
  { refundedIntents, lostItems, open }: RestoredPayments,
): Promise<{ held: number; doubtful: DoubtfulOrder[] }> {
  const doubtful = new Map<string, DoubtfulOrder>();
  const of = (orderId: string): DoubtfulOrder => {
    const order = doubtful.get(orderId) ?? { orderId, unknownCents: 0, payments: [] };
    doubtful.set(orderId, order);
    return order;
  };
  const paid = new Set(open.map(({ orderId }) => orderId));
  for (const { orderId, state, itemId } of await listOrdersOfItems(db, [...lostItems.keys()])) {
    // An unpaid order was abandoned before its item was sold to another buyer, and will be abandoned again.
    if (state === 'fulfilled' || paid.has(orderId)) of(orderId).payments.push(lostItems.get(itemId) ?? '');
  }
  for (const intentId of refundedIntents) {
    const order = await findOrderByIntent(db, intentId);
    if (!order || !(isOpen(order) || order.state === 'fulfilled')) continue;
    const all = await payments.listRefunds(intentId);
    const ours = await listRefunds(db, [order.id]);
    const unknown = unknownCentsOf(all, ours);
    // An order that was refunded in full needs no decision.
    const isWhole = givenBackCentsOf(all, ours) >= order.total_cents;
    if (!isWhole && unknown > 0) of(order.id).unknownCents = unknown;
  }
  return { held: (await listHeldBack(db)).length, doubtful: [...doubtful.values()] };
}
