import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { beginRefund, type RefundWish } from '../checkout/begin-refund.ts';
import { hasRefund } from '../checkout/refunds.queries.ts';
import { finishOrLeave } from './finish-or-leave.ts';
import { lockDeskOrder } from './lock-desk-order.ts';
import { isRefundable } from './order-rules.ts';

export interface RefundByAdmin extends Pick<RefundWish, 'reason' | 'lines'> {
  orderId: string;
  /** Names the refund, so that asking for it again gives nothing more. */
  draft?: string | undefined;
  actor: Actor;
}

/**
 * Gives money of a paid order back: all that is left, or for units of lines; for the same draft once. Throws NOT_FOUND,
 * REFUND_REFUSED.
 */
export async function refundByAdmin(
  deps: Deps,
  { orderId, draft, reason, lines, actor }: RefundByAdmin,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockDeskOrder(trx, orderId, actor);
    if (draft && (await hasRefund(trx, orderId, draft))) return;
    if (!isRefundable(order)) {
      throw new AppError('REFUND_REFUSED', 'Only a paid order of which money is left can be refunded');
    }
    const cents = await beginRefund(deps, trx, order, { id: draft, reason, lines, userId: actor.userId });
    await writeAudit(deps, trx, {
      actor,
      action: 'order.refunded',
      subject: { type: 'order', id: orderId },
      summary: `Refunded ${formatPrice(cents)}: ${reason}`,
    });
  });
  await finishOrLeave(deps, orderId);
}
