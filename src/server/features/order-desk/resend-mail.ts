import { AppError } from '../../../shared/errors.ts';
import type { OrderState } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { enqueueMail, type MailKind } from '../mails/enqueue-mail.ts';
import { lockDeskOrder } from './lock-desk-order.ts';
import { listMailsOfOrder } from './order-page.queries.ts';

const HOUR_SECONDS = 60 * 60;
/** Of one order, whoever asks: a buyer is not to be flooded. */
const MOST_IN_AN_HOUR = 5;

const kinds: Partial<Record<OrderState, MailKind>> = {
  fulfilled: 'order-delivered',
  refunded: 'order-refunded',
};

/**
 * Sends the mail again that an order came to: the one with the way to its items, whose link is a new one, or that of its
 * refund; of a parcel that it was shipped. Throws NOT_FOUND, TRANSITION_REFUSED where there is none, RATE_LIMITED.
 */
export async function resendMail(
  deps: Deps,
  { orderId, actor }: { orderId: string; actor: Actor },
): Promise<void> {
  const since = deps.clock.now().getTime() - HOUR_SECONDS * 1_000;
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockDeskOrder(trx, orderId, actor);
    const parcel = order.type === 'physical' && order.state === 'fulfilled';
    const kind = parcel ? order.shipped_at && ('order-shipped' as const) : kinds[order.state];
    if (!kind) throw new AppError('TRANSITION_REFUSED', 'There is no mail to send for this order');
    const lately = (await listMailsOfOrder(trx, orderId)).filter((mail) => mail.created_at.getTime() > since);
    if (lately.length >= MOST_IN_AN_HOUR) {
      throw new AppError(
        'RATE_LIMITED',
        'This buyer got enough mails for now. Please try again later.',
        undefined,
        {
          retryAfterSeconds: HOUR_SECONDS,
        },
      );
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
