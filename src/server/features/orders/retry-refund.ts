import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { Actor } from '../../platform/http/client.ts';
import { endAlertsOfRefund } from '../admin/alerts.queries.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { tryFinishRefunds } from './finish-refunds.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';
import { countRefund, endRefund } from './record-refund.ts';
import { applyRefunds, beginNextAttempt, isSettleable, listRefunds, markRefundSettled } from './refunds.queries.ts';
import { assertNotDisputed } from './unfreeze-order.ts';

interface FailedRefund {
  orderId: string;
  refund: string;
  /** The attempt that the administrator saw fail. */
  attempt: number;
  actor: Actor;
}

/**
 * Requests a failed refund again, for an administrator. The next attempt has its own idempotency key; of two concurrent
 * calls, only one begins it. Throws NOT_FOUND and REFUND_REFUSED.
 */
export async function retryRefund(deps: Deps, input: FailedRefund): Promise<void> {
  const { orderId, actor } = input;
  await deps.db.transaction().execute(async (trx) => {
    const { refund } = await lockFailedRefund(trx, input);
    await assertNotDisputed(trx, orderId);
    if (!(await beginNextAttempt(trx, refund))) throw isOver();
    const now = deps.clock.now();
    await endAlertsOfRefund(trx, refund.id, now, 'Tried again');
    await applyRefunds(trx, orderId, now);
    const summary = `Tried the refund of ${formatPrice(refund.cents)} again`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.refund-retried', summary });
  });
  await tryFinishRefunds(deps, orderId);
}

/**
 * Records how an administrator settled a failed refund in another way, e.g. by a bank transfer. The refund is then done
 * and not requested again. Throws NOT_FOUND, and REFUND_REFUSED also while a refund of all that is left may include it
 * (isSettleable).
 */
export async function settleRefund(deps: Deps, input: FailedRefund & { reason: string }): Promise<void> {
  const { orderId, actor, reason: note } = input;
  const change = await deps.db.transaction().execute(async (trx) => {
    const { order: before, refund, refunds } = await lockFailedRefund(trx, input);
    if (!isSettleable(refund, refunds)) {
      const message =
        'A refund of the remaining amount is in progress and may include this one. Wait until it has finished.';
      throw new AppError('REFUND_REFUSED', message);
    }
    const now = deps.clock.now();
    if (!(await markRefundSettled(trx, refund, { note, now }))) throw isOver();
    await endAlertsOfRefund(trx, refund.id, now, note);
    const after = await endRefund(deps, trx, before);
    const summary = `Gave ${formatPrice(refund.cents)} back in another way: ${note}`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.refund-settled', summary });
    return { before, after };
  });
  countRefund(deps, change);
}

async function lockFailedRefund(trx: Transaction, { orderId, refund: id, attempt, actor }: FailedRefund) {
  const order = await lockOrderAsAdmin(trx, orderId, actor);
  const refunds = await listRefunds(trx, [orderId]);
  const refund = refunds.find((one) => one.id === id);
  if (!refund) throw new AppError('NOT_FOUND', 'Refund not found');
  if (refund.state !== 'failed' || refund.attempt !== attempt) throw isOver();
  return { order, refund, refunds };
}

const isOver = () => new AppError('REFUND_REFUSED', 'This refund is being tried again, or is done');
