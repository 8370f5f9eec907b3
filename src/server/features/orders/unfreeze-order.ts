import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { endFreezes, isFrozen } from './freezes.queries.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';

export const FROZEN = {
  code: 'ITEM_FROZEN' as const,
  message:
    'The bank of the card is asking about this payment, so what was not opened yet is locked until it has decided. ' +
    'Please contact support.',
};

/** Throws ITEM_FROZEN. */
export async function assertNotFrozen(trx: Transaction, orderId: string): Promise<void> {
  if (await isFrozen(trx, orderId)) throw new AppError(FROZEN.code, FROZEN.message);
}

/** An administrator ends the freeze of an order, with a reason, on record. Throws NOT_FOUND and TRANSITION_REFUSED. */
export async function unfreezeOrder(
  deps: Deps,
  { orderId, reason, actor }: { orderId: string; reason: string; actor: Actor },
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockOrderAsAdmin(trx, orderId, actor);
    const ended = await endFreezes(trx, orderId, { outcome: 'lifted', now: deps.clock.now() });
    if (ended === 0) throw new AppError('TRANSITION_REFUSED', 'This order is not frozen');
    const subject = { type: 'order' as const, id: orderId };
    await writeAudit(deps, trx, { actor, action: 'order.unfrozen', subject, summary: `Unlocked the items: ${reason}` });
  });
}
