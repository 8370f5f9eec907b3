import type { Deps } from '../../deps.ts';
import { findOrderByIntent } from '../orders/orders.queries.ts';
import { listRefunds, sumOf } from '../orders/refunds.queries.ts';
import type { RestoredPayments } from './compare-payments.ts';
import { listHeldBack, listOrdersOfItems } from './held-back.queries.ts';

/** An order of which something was given back since the backup, or may be another buyer's. */
export interface DoubtfulOrder {
  orderId: string;
  /** Given back at the provider, and not entered in the shop. */
  unknownCents: number;
  /** For each of its items that may be another buyer's, the payment that names it. */
  payments: string[];
}

/** Of the orders that are held back those that a person must decide, and how many there are. */
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
    // One that was given up before its item was sold to another is given up again.
    if (state === 'fulfilled' || paid.has(orderId)) of(orderId).payments.push(lostItems.get(itemId) ?? '');
  }
  for (const intentId of refundedIntents) {
    const order = await findOrderByIntent(db, intentId);
    if (order?.state !== 'pending' && order?.state !== 'capturing' && order?.state !== 'fulfilled') continue;
    const given = await payments.refundedCents(intentId);
    const unknown = given - sumOf(await listRefunds(db, [order.id]));
    // What was given back whole ends by itself.
    if (given < order.total_cents && unknown > 0) of(order.id).unknownCents = unknown;
  }
  return { held: (await listHeldBack(db)).length, doubtful: [...doubtful.values()] };
}
