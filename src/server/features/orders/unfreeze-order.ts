import type { BodyOf } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import { writeOrderAudit } from '../admin/audit-log.queries.ts';
import { countResold } from '../inventory/inventory.queries.ts';
import { causeOf, endFreezes, findFreeze, isDisputed, isHeldBack, listFreezes } from './freezes.queries.ts';
import { type AdminChange, lockOrderAsAdmin } from './orders.queries.ts';

const messages = {
  bank:
    'The bank of the card is asking about this payment, so what was not opened yet is locked until it has decided. ' +
    'Please contact support.',
  restore:
    'We are checking this order, so what was not opened yet is locked until that is done. Please contact support.',
};

/** Returns the error that the buyer of a frozen order gets for unseen items; null when the order is not frozen. */
export async function findRefusal(db: Database, orderId: string) {
  const cause = await findFreeze(db, orderId);
  if (cause === undefined) return null;
  return { code: 'ITEM_FROZEN' as const, message: cause === 'restore' ? messages.restore : messages.bank };
}

/** Throws ITEM_FROZEN for an order that is frozen by a bank's claim or by a restore. */
export async function assertNotFrozen(db: Database, orderId: string): Promise<void> {
  const refusal = await findRefusal(db, orderId);
  if (refusal) throw new AppError(refusal.code, refusal.message);
}

/** Throws REFUND_REFUSED while the payment is disputed: after a refund, the bank could take the money a second time. */
export async function assertNotDisputed(trx: Transaction, orderId: string): Promise<void> {
  if (await isDisputed(trx, orderId)) {
    throw new AppError('REFUND_REFUSED', 'The payment is disputed. It cannot be refunded until the bank has decided.');
  }
}

/** Throws ITEM_FROZEN for an order that a restore holds back, because it may have been refunded since the backup. */
export async function assertNotHeldBack(trx: Transaction, orderId: string): Promise<void> {
  if (await isHeldBack(trx, orderId)) throw new AppError('ITEM_FROZEN', messages.restore);
}

const FROZEN_ANEW = 'This order was frozen for another cause meanwhile. Read the cause and decide once more.';

/**
 * Ends the freezes of an order for an administrator, and records the reason. `frozen` is the cause that the
 * administrator saw: a repeated call has no effect. Throws NOT_FOUND, and TRANSITION_REFUSED when the order is not frozen,
 * is frozen for another cause by now, or has items that may belong to another buyer.
 */
export async function unfreezeOrder(
  deps: Deps,
  { orderId, reason, frozen, actor }: BodyOf<'POST /admin/orders/:id/unfreeze'> & AdminChange,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockOrderAsAdmin(trx, orderId, actor);
    const freezes = await listFreezes(trx, orderId);
    const cause = causeOf(freezes);
    if (frozen !== undefined && cause !== frozen) {
      const wasLifted = freezes.some((freeze) => freeze.cause === frozen && freeze.outcome === 'lifted');
      if (cause === undefined && wasLifted) return;
      if (cause !== undefined) throw new AppError('TRANSITION_REFUSED', FROZEN_ANEW);
    }
    const resold = await countResold(trx, orderId);
    if (resold > 0) {
      const message = `${resold} of its items may belong to another buyer: refund that many units first, which withdraws these items`;
      throw new AppError('TRANSITION_REFUSED', message);
    }
    const ended = await endFreezes(trx, orderId, { outcome: 'lifted', now: deps.clock.now() });
    if (ended === 0) throw new AppError('TRANSITION_REFUSED', 'This order is not frozen');
    const summary = `Unlocked the items: ${reason}`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.unfrozen', summary });
  });
}
