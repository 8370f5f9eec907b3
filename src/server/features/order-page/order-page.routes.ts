import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { OrderPage } from '../../../shared/order-page.ts';
import type { Deps } from '../../deps.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { Route } from '../../platform/http/route.ts';
import { makeEvidence } from '../disputes/make-evidence.ts';
import { insertNotice } from '../notices/notices.queries.ts';
import { insertNote } from '../orders/admin-orders.queries.ts';
import { tryFinishRefunds } from '../orders/finish-refunds.ts';
import { assertNotFrozen } from '../orders/freezes.queries.ts';
import { findOrderOfUser, lockOwnOrder } from '../orders/orders.queries.ts';
import { beginRefund } from '../orders/refund-order.ts';
import { findCancellation } from '../orders/refunds.queries.ts';
import { readReceipts } from '../receipts/receipts.ts';
import {
  type Canceller,
  countCancellations,
  insertCancellation,
  isUntouched,
  lockCanceller,
} from './order-page.queries.ts';
import { readOrderPage } from './read-order-page.ts';

export function orderPageRoutes(route: Route, deps: Deps): void {
  route('GET /orders/mine/:orderId', async ({ params: { orderId }, viewer: { userId } }) => ({
    data: await readOrderPage(deps, { orderId, userId }),
  }));

  route('POST /orders/mine/:orderId/cancel', async ({ params: { orderId }, viewer: { userId } }) => {
    await deps.limits.count('cancel-order', { user: userId });
    return { data: await cancelByBuyer(deps, { orderId, userId }) };
  });

  route('POST /admin/orders/:id/evidence', async ({ params: { id: orderId }, reply, actor }) => {
    const { name, page } = await makeEvidence(deps, { orderId, actor });
    reply.header('content-disposition', `attachment; filename="${name}"`);
    return Readable.from([page]);
  });

  route('GET /orders/:orderId/receipts', async ({ params: { orderId }, viewer }) => ({
    data: await readReceipts(deps, { orderId, viewer }),
  }));
}

const MAX_A_DAY = 3;
const REASON = 'Cancelled by the buyer';

/**
 * Cancels an order for its buyer, if nothing of it was shipped, seen or delivered by a person. Refunds all of the
 * money, and puts unread items on sale again once the refund is done (recordRefund). No effect on a cancelled order.
 * After three cancellations within a day, asks the shop instead and throws TRANSITION_REFUSED. Throws NOT_FOUND,
 * ITEM_FROZEN and TRANSITION_REFUSED.
 */
export async function cancelByBuyer(deps: Deps, own: { orderId: string; userId: string }): Promise<OrderPage> {
  const order = orNotFound(await findOrderOfUser(deps.db, own), 'Order not found');
  let outcome: 'cancellable' | Outcome = await checkCancellable(deps.db, order);
  if (outcome === 'cancellable') outcome = await cancelOrAskShop(deps, own, order);
  if (outcome === 'shop-asked') {
    const message = `You have cancelled ${MAX_A_DAY} orders within a day. We have asked the shop to cancel this one.`;
    throw new AppError('TRANSITION_REFUSED', message);
  }
  await tryFinishRefunds(deps, order.id);
  return readOrderPage(deps, own);
}

type Outcome = 'cancelled' | 'shop-asked';

/**
 * Returns whether the order can be cancelled, or its buyer has already cancelled it. Otherwise throws ITEM_FROZEN or
 * TRANSITION_REFUSED. Safe without a lock: a cancellation and its refund are committed together, so a read that sees the
 * refund is followed by one that sees the cancellation.
 */
async function checkCancellable(db: Database, order: OrderRow): Promise<'cancellable' | 'cancelled'> {
  if (await isUntouched(db, order)) return 'cancellable';
  if (await findCancellation(db, order.id)) return 'cancelled';
  await assertNotFrozen(db, order.id);
  throw new AppError(
    'TRANSITION_REFUSED',
    'This order can no longer be cancelled, because a part of it was opened, shipped or delivered by hand',
  );
}

/** Cancels the order, or asks the shop to. Repeats the checks under the locks. */
async function cancelOrAskShop(
  deps: Deps,
  own: { orderId: string; userId: string },
  { payment_intent_id: intentId }: OrderRow,
): Promise<Outcome> {
  const { orderId, userId } = own;
  const canceller = { userId, cardKey: await findCardKey(deps, intentId) };
  return deps.db.transaction().execute(async (trx) => {
    await lockCanceller(trx, canceller);
    // Reading items and shipping lock the order, too. Of two concurrent calls, the second is rejected.
    const locked = await lockOwnOrder(trx, orderId, userId);
    if ((await checkCancellable(trx, locked)) === 'cancelled') return 'cancelled';
    const now = deps.clock.now();
    if ((await countCancellations(trx, canceller, now)) >= MAX_A_DAY) {
      await askShop(trx, own, now);
      return 'shop-asked';
    }
    await insertCancellation(trx, { order_id: orderId, user_id: userId, card_key: canceller.cardKey, at: now });
    await beginRefund(deps, trx, locked, { reason: REASON, message: 'You cancelled this order' });
    return 'cancelled';
  });
}

/** Asks the shop to cancel, once per order, because the note and the notice have the order's id. */
async function askShop(trx: Transaction, { orderId, userId }: { orderId: string; userId: string }, now: Date) {
  const text = `I would like to cancel this order, after ${MAX_A_DAY} others within a day.`;
  await insertNote(trx, { id: orderId, order_id: orderId, user_id: userId, text, created_at: now });
  await insertNotice(trx, { kind: 'cancel-request', subject: orderId, aboutId: orderId }, now);
}

/** Returns a hash of the card; null without a fingerprint or a provider, which is no reason to refuse. */
async function findCardKey(deps: Deps, intentId: string | null): Promise<Canceller['cardKey']> {
  const card = intentId === null ? undefined : await deps.payments.findCard(intentId).catch(() => undefined);
  return card?.fingerprint ? createHash('sha256').update(card.fingerprint).digest() : null;
}
