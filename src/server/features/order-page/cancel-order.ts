import { createHash } from 'node:crypto';
import { AppError } from '../../../shared/errors.ts';
import type { OrderPage } from '../../../shared/order-page.ts';
import type { Deps } from '../../deps.ts';
import { tryFinishRefunds } from '../orders/finish-refunds.ts';
import { findOrderOfUser, lockOrder } from '../orders/orders.queries.ts';
import { beginRefund } from '../orders/refund-order.ts';
import { findCancellation } from '../orders/refunds.queries.ts';
import { assertNotFrozen } from '../orders/unfreeze-order.ts';
import {
  type Canceller,
  countCancellations,
  insertCancellation,
  isUntouched,
  lockCanceller,
} from './cancellations.queries.ts';
import { readOrderPage } from './read-order-page.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_A_DAY = 3;
const REASON = 'Cancelled by the buyer';

/**
 * A buyer cancels an order of which nothing is shipped or seen: all of the money goes back, and what nobody has read is on
 * sale again as soon as it has (recordRefund). Cancelling it again has no effect. Throws NOT_FOUND, ITEM_FROZEN and TRANSITION_REFUSED.
 */
export async function cancelByBuyer(deps: Deps, own: { orderId: string; userId: string }): Promise<OrderPage> {
  const { orderId, userId } = own;
  const order = await findOrderOfUser(deps.db, own);
  if (!order) throw new AppError('NOT_FOUND', 'Order not found');
  const canceller = { userId, cardKey: await findCardKey(deps, order.payment_intent_id) };
  await deps.db.transaction().execute(async (trx) => {
    await lockCanceller(trx, canceller);
    // Locked as it is for reading its items and for shipping: whichever comes first, the other one is refused.
    const locked = await lockOrder(trx, orderId);
    if (await findCancellation(trx, orderId)) return;
    await assertNotFrozen(trx, orderId);
    if (!(await isUntouched(trx, locked))) {
      throw new AppError(
        'TRANSITION_REFUSED',
        'This order can no longer be cancelled: something of it was opened or sent',
      );
    }
    const now = deps.clock.now();
    if ((await countCancellations(trx, canceller, new Date(now.getTime() - DAY_MS))) >= MAX_A_DAY) {
      const message = `You have cancelled ${MAX_A_DAY} orders within a day. Please ask the shop to cancel this one.`;
      throw new AppError('TRANSITION_REFUSED', message);
    }
    await insertCancellation(trx, { orderId, ...canceller, at: now });
    await beginRefund(deps, trx, locked, { reason: REASON, message: 'You cancelled this order' });
  });
  await tryFinishRefunds(deps, orderId);
  return readOrderPage(deps, own);
}

/** Null where the provider is away, which is no reason to keep an order, or does not tell cards apart. */
async function findCardKey(deps: Deps, intentId: string | null): Promise<Canceller['cardKey']> {
  const card = intentId === null ? undefined : await deps.payments.findCard(intentId).catch(() => undefined);
  return card?.fingerprint ? createHash('sha256').update(card.fingerprint).digest() : null;
}
