import { v7 as uuidv7 } from 'uuid';
import type { BodyOf } from '../../../shared/api.ts';
import { AppError, isAppError, sentBefore } from '../../../shared/errors.ts';
import type { OrderState } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { latestPast, lockName, type Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { AdminActor } from '../../platform/http/route.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import {
  findItem,
  followWaitingUnits,
  listManualLines,
  replaceByItem,
  waitingNumbers,
} from '../delivery/delivery.queries.ts';
import { newItem, replaceByCopy } from '../delivery/make-items.ts';
import { countResold, endReportsOfReplaced, insertItem, replaceSoldItem } from '../inventory/inventory.queries.ts';
import { findStoredMail } from '../mails/mails.queries.ts';
import { enqueueOrderMail, type OrderMailKind } from '../mails/send-mail.ts';
import { findItemAndLine, findNote, insertNote, listMailsOfOrder } from './admin-orders.queries.ts';
import { assertNotFrozen, causeOf, endFreezes, listFreezes } from './freezes.queries.ts';
import { isUnderWarranty } from './order-status.ts';
import { type AdminChange, lockOrderAsAdmin } from './orders.queries.ts';
import { listParcels } from './parcels.queries.ts';

export type OrderEntry = { action: `order.${string}`; summary: string };

/**
 * Changes an order for an administrator, under its lock. The audit entry that `change` returns is written last; without
 * one, nothing was changed, e.g. because the call was repeated. Returns what `change` returns. Throws NOT_FOUND.
 */
export const changeOrder = <Entry extends OrderEntry | undefined>(
  deps: Deps,
  { orderId, actor }: AdminChange,
  change: (trx: Transaction, order: OrderRow) => Promise<Entry>,
): Promise<Entry> =>
  deps.db.transaction().execute(async (trx) => {
    const entry = await change(trx, await lockOrderAsAdmin(trx, orderId, actor));
    if (entry) await writeOrderAudit(deps, trx, { actor, orderId, action: entry.action, summary: entry.summary });
    return entry;
  });

/**
 * Writes a note on an order, which only administrators see. A draft writes only one note. Throws NOT_FOUND, and
 * EDIT_CONFLICT when the draft was sent before with another text. The audit entry omits the text, because a note may
 * name people and audit entries are never deleted.
 */
export async function writeNote(
  deps: Deps,
  { orderId, draft = uuidv7(), text, actor }: BodyOf<'POST /admin/orders/:id/notes'> & AdminChange,
): Promise<void> {
  await changeOrder(deps, { orderId, actor }, async (trx) => {
    const note = { id: draft, order_id: orderId, user_id: actor.userId, text, created_at: deps.clock.now() };
    if (!(await insertNote(trx, note))) {
      const sent = await findNote(trx, draft);
      if (sent?.order_id === orderId && sent.text === text) return undefined;
      throw sentBefore(
        'EDIT_CONFLICT',
        'written a note already, with another text. Adding it now makes a second note.',
      );
    }
    return { action: 'order.note-written', summary: 'Wrote a note on the order' };
  });
}

const HOUR_SECONDS = 60 * 60;
/** Limit for one order and all administrators together, so that no buyer is flooded. */
const MAX_MAILS_PER_HOUR = 5;

const lastMails: Partial<Record<OrderState, OrderMailKind>> = {
  fulfilled: 'order-delivered',
  refunded: 'order-refunded',
};

/**
 * Sends the last mail of an order again: about its delivery, with a new link to its items, about its shipping, or about
 * its refund. A draft sends only one mail. Throws NOT_FOUND, RATE_LIMITED, and TRANSITION_REFUSED when no mail was sent
 * or when the draft was sent before for another order.
 */
export async function resendMail(
  deps: Deps,
  { orderId, draft, actor }: BodyOf<'POST /admin/orders/:id/resend-mail'> & AdminChange,
): Promise<void> {
  const now = deps.clock.now();
  const since = new Date(now.getTime() - HOUR_SECONDS * 1_000);
  await changeOrder(deps, { orderId, actor }, async (trx, order) => {
    if (draft !== undefined) {
      // The draft may be sending the mail of another order at this moment.
      await lockName(trx, draft);
      const sent = await findStoredMail(trx, draft);
      if (sent?.order_id === orderId) return undefined;
      if (sent) throw sentBefore('TRANSITION_REFUSED', 'sent a mail already, about another order.');
    }
    const isShipped = order.state === 'fulfilled' && (await listParcels(trx, [orderId])).length > 0;
    const kind = isShipped ? ('order-shipped' as const) : lastMails[order.state];
    if (!kind) throw new AppError('TRANSITION_REFUSED', 'No mail was sent for this order, so there is none to repeat');
    const mails = await listMailsOfOrder(trx, orderId);
    const recent = mails.filter(({ created_at: at }) => at > since && at <= latestPast(now));
    if (recent.length >= MAX_MAILS_PER_HOUR) {
      const message = 'This order has reached its limit of mails for now. Please try again later.';
      throw new AppError('RATE_LIMITED', message, undefined, { retryAfterSeconds: HOUR_SECONDS });
    }
    await enqueueOrderMail(deps, trx, kind, order, draft);
    return { action: 'order.mail-resent', summary: `Sent the mail about the order to ${order.contact_email} again` };
  });
}

type DeliverUnit = BodyOf<'POST /admin/orders/:id/deliver-unit'> & AdminChange & { actor: AdminActor };

/**
 * Delivers a unit of a `manual` line: stores the typed content as its item, and mails the buyer. A draft delivers only
 * once. Throws NOT_FOUND, ITEM_FROZEN, and TRANSITION_REFUSED for a unit that is delivered, refunded or not paid, and
 * for a draft that was sent before with another content or unit. The last error tells whether a guess of the delivered
 * content is right, so it is limited: RATE_LIMITED.
 */
export async function deliverUnit(deps: Deps, delivery: DeliverUnit): Promise<void> {
  const guesses = ['delivery-guess', { user: delivery.actor.userId }] as const;
  if (delivery.draft) await deps.limits.assertLeft(...guesses);
  try {
    await deliver(deps, delivery);
  } catch (error) {
    if (isAppError(error, 'TRANSITION_REFUSED') && error.field === 'draft') await deps.limits.count(...guesses);
    throw error;
  }
}

async function deliver(deps: Deps, { orderId, line, unit, content, draft, actor }: DeliverUnit): Promise<void> {
  const now = deps.clock.now();
  await changeOrder(deps, { orderId, actor }, async (trx, order) => {
    const lines = await listManualLines(trx, orderId);
    const sent = draft ? await findItem(trx, draft) : undefined;
    if (draft && sent) {
      const isSameUnit = sent.order_line_id === line && sent.unit === unit && lines.some(({ id }) => id === line);
      const fingerprint = deps.cipher.fingerprintOfCopy({ itemId: draft, content });
      if (isSameUnit && fingerprint.equals(sent.content_hmac)) return undefined;
      throw deliveredBefore();
    }
    const wanted = order.state === 'fulfilled' ? lines.find(({ id }) => id === line) : undefined;
    if (!wanted || !waitingNumbers(wanted).includes(unit)) {
      throw new AppError('TRANSITION_REFUSED', 'This unit is not waiting for delivery', 'unit');
    }
    await assertNotFrozen(trx, orderId);
    const { name, quantity, product_id: productId } = wanted;
    const item = newItem(deps, { id: draft, productId, lineId: line, unit, content, now });
    // The draft may have delivered a unit of another order at this moment.
    if (!(await insertItem(trx, item))) throw deliveredBefore();
    await followWaitingUnits(trx, orderId);
    await enqueueOrderMail(deps, trx, 'unit-delivered', order);
    return {
      action: 'order.unit-delivered',
      summary: `Delivered ${quantity > 1 ? `number ${unit} of ` : ''}“${name}”`,
    };
  });
}

const deliveredBefore = () => sentBefore('TRANSITION_REFUSED', 'delivered a unit already, with the text of that time.');

/**
 * Delivers another item for a faulty one under warranty, and marks the faulty item as `burnt`. The new item is from
 * stock, a new copy, or `content` if a person delivers the product. Throws NOT_FOUND, OUT_OF_STOCK, VALIDATION_FAILED,
 * ITEM_FROZEN, and ITEM_NOT_AVAILABLE for an item that is not the buyer's or no longer under warranty.
 */
export async function replaceItem(
  deps: Deps,
  input: BodyOf<'POST /admin/orders/:id/replace-item'> & AdminChange,
): Promise<void> {
  const wanted = { ...input, itemId: input.item, warrantyAt: deps.clock.now() };
  await changeOrder(deps, input, (trx, order) => replaceLocked(deps, trx, order, wanted));
}

interface Replacement {
  itemId: string;
  reason: string;
  /** The new item, for units that a person delivers. */
  content?: string | undefined;
  /** The item must have been under warranty then. */
  warrantyAt: Date;
}

/** Replaces an item in `changeOrder`. */
export async function replaceLocked(
  deps: Deps,
  trx: Transaction,
  order: OrderRow,
  { itemId, reason, content, warrantyAt }: Replacement,
): Promise<OrderEntry> {
  await assertNotFrozen(trx, order.id);
  const now = deps.clock.now();
  const found = await findItemAndLine(trx, order.id, itemId);
  if (!found || !isUnderWarranty(order, found.line, found.item, warrantyAt)) {
    throw new AppError('ITEM_NOT_AVAILABLE', 'Only a delivered item under warranty can be replaced');
  }
  const { item, line } = found;
  if (line.delivery === 'shared' || line.delivery === 'file') {
    await replaceByCopy(deps, trx, { faulty: item, delivery: line.delivery, now });
  } else if (line.delivery === 'manual') {
    const message = 'This is delivered by hand: please enter what is delivered instead, on the page of the order';
    if (!content) throw new AppError('VALIDATION_FAILED', message, 'content');
    const { id: lineId, product_id: productId } = line;
    await replaceByItem(trx, item.id, newItem(deps, { productId, lineId, unit: item.unit ?? 1, content, now }));
  } else if (!(await replaceSoldItem(trx, item.id, now))) {
    throw new AppError('OUT_OF_STOCK', `There is no “${line.name}” in stock to replace it with`);
  }
  await endReportsOfReplaced(trx, item.id, now);
  await enqueueOrderMail(deps, trx, 'item-replaced', order);
  return { action: 'order.item-replaced', summary: `Replaced a faulty item of “${line.name}”: ${reason}` };
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
  await changeOrder(deps, { orderId, actor }, async (trx) => {
    const freezes = await listFreezes(trx, orderId);
    const cause = causeOf(freezes);
    if (frozen !== undefined && cause !== frozen) {
      const wasLifted = freezes.some((freeze) => freeze.cause === frozen && freeze.outcome === 'lifted');
      if (cause === undefined && wasLifted) return undefined;
      if (cause !== undefined) throw new AppError('TRANSITION_REFUSED', FROZEN_ANEW);
    }
    const resold = await countResold(trx, orderId);
    if (resold > 0) {
      const message = `${resold} of its items may belong to another buyer: refund that many units first, which withdraws these items`;
      throw new AppError('TRANSITION_REFUSED', message);
    }
    const ended = await endFreezes(trx, orderId, { outcome: 'lifted', now: deps.clock.now() });
    if (ended === 0) throw new AppError('TRANSITION_REFUSED', 'This order is not frozen');
    return { action: 'order.unfrozen', summary: `Unlocked the items: ${reason}` };
  });
}
