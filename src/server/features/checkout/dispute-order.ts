import type { Deps } from '../../deps.ts';
import { raiseAlert } from '../alerts/raise-alert.ts';
import { withdrawSoldItems } from '../inventory/inventory.queries.ts';
import { lockOrder, markDisputed } from '../orders/orders.queries.ts';

/** The cardholder disputes the payment: the goods are withdrawn for good, whoever wins. */
export async function disputeOrder(deps: Deps, orderId: string): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrder(trx, orderId);
    if (order.state !== 'fulfilled') return;
    await withdrawSoldItems(trx, orderId);
    await markDisputed(trx, orderId, deps.clock.now());
  });
  await raiseAlert(deps, { kind: 'dispute', subject: orderId, orderId, message: 'a payment is disputed' });
}
