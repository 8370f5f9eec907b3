import { v7 as uuidv7 } from 'uuid';
import { AppError, sentBefore } from '../../../shared/errors.ts';
import type { OrderState } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { enqueueOrderMail, type MailKind } from '../mails/send-mail.ts';
import { findNote, insertNote, listMailsOfOrder } from './admin-orders.queries.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';
import { listParcels } from './parcels.queries.ts';

/**
 * Writes a note on an order, which only administrators see. A draft writes only one note. Throws NOT_FOUND, and
 * EDIT_CONFLICT when the draft was sent before with another text. The audit entry omits the text, because a note may
 * name people and audit entries are never deleted.
 */
export async function writeNote(
  deps: Deps,
  {
    orderId,
    draft = uuidv7(),
    text,
    actor,
  }: { orderId: string; draft?: string | undefined; text: string; actor: Actor },
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockOrderAsAdmin(trx, orderId, actor);
    const note = { id: draft, order_id: orderId, user_id: actor.userId, text, created_at: deps.clock.now() };
    if (!(await insertNote(trx, note))) {
      const sent = await findNote(trx, draft);
      if (sent?.order_id === orderId && sent.text === text) return;
      throw sentBefore(
        'EDIT_CONFLICT',
        'written a note already, with another text. Adding it now makes a second note.',
      );
    }
    await writeOrderAudit(deps, trx, {
      actor,
      orderId,
      action: 'order.note-written',
      summary: 'Wrote a note on the order',
    });
  });
}

const HOUR_SECONDS = 60 * 60;
/** Limit for one order and all administrators together, so that no buyer is flooded. */
const MAX_MAILS_PER_HOUR = 5;

const lastMails: Partial<Record<OrderState, MailKind>> = { fulfilled: 'order-delivered', refunded: 'order-refunded' };

/**
 * Sends the last mail of an order again: about its delivery, with a new link to its items, about its shipping, or about
 * its refund. Throws NOT_FOUND, RATE_LIMITED, and TRANSITION_REFUSED when no mail was sent.
 */
export async function resendMail(deps: Deps, { orderId, actor }: { orderId: string; actor: Actor }): Promise<void> {
  const since = deps.clock.now().getTime() - HOUR_SECONDS * 1_000;
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const isShipped = order.state === 'fulfilled' && (await listParcels(trx, [orderId])).length > 0;
    const kind = isShipped ? ('order-shipped' as const) : lastMails[order.state];
    if (!kind) throw new AppError('TRANSITION_REFUSED', 'No mail was sent for this order, so there is none to repeat');
    const recent = (await listMailsOfOrder(trx, orderId)).filter((mail) => mail.created_at.getTime() > since);
    if (recent.length >= MAX_MAILS_PER_HOUR) {
      const message = 'This order has reached its limit of mails for now. Please try again later.';
      throw new AppError('RATE_LIMITED', message, undefined, { retryAfterSeconds: HOUR_SECONDS });
    }
    await enqueueOrderMail(deps, trx, kind, order);
    const summary = `Sent the mail about the order to ${order.contact_email} again`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.mail-resent', summary });
  });
}
