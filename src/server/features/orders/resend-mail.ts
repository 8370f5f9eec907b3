import { AppError } from '../../../shared/errors.ts';
import type { OrderState } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { enqueueMail, type MailKind } from '../mails/send-mail.ts';
import { listMailsOfOrder } from './admin-orders.queries.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';

const HOUR_SECONDS = 60 * 60;
/** For one order, over all administrators: no buyer is flooded. */
const MAX_IN_AN_HOUR = 5;

const kinds: Partial<Record<OrderState, MailKind>> = { fulfilled: 'order-delivered', refunded: 'order-refunded' };

/**
 * Sends the last mail of an order again: of its delivery, with a new link to its items, of its shipping, or of its refund.
 * Throws NOT_FOUND, RATE_LIMITED, and TRANSITION_REFUSED when no mail was sent.
 */
export async function resendMail(deps: Deps, { orderId, actor }: { orderId: string; actor: Actor }): Promise<void> {
  const since = deps.clock.now().getTime() - HOUR_SECONDS * 1_000;
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const parcel = order.type === 'physical' && order.state === 'fulfilled';
    const kind = parcel ? order.shipped_at && ('order-shipped' as const) : kinds[order.state];
    if (!kind) throw new AppError('TRANSITION_REFUSED', 'There is no mail to send for this order');
    const recent = (await listMailsOfOrder(trx, orderId)).filter((mail) => mail.created_at.getTime() > since);
    if (recent.length >= MAX_IN_AN_HOUR) {
      const message = 'This buyer got enough mails for now. Please try again later.';
      throw new AppError('RATE_LIMITED', message, undefined, { retryAfterSeconds: HOUR_SECONDS });
    }
    await enqueueMail(deps, trx, { kind, recipient: order.contact_email, orderId, userId: order.user_id });
    await writeAudit(deps, trx, {
      actor,
      action: 'order.mail-resent',
      subject: { type: 'order', id: orderId },
      summary: `Sent the mail about the order to ${order.contact_email} again`,
    });
  });
}
