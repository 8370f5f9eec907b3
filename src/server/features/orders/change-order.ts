import { AppError } from '../../../shared/errors.ts';
import type { OrderState, OrderStatus } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type Actor, writeOrderAudit } from '../admin/audit-log.ts';
import { replaceByItem } from '../delivery/delivery.queries.ts';
import { newItem, replaceByCopy } from '../delivery/make-items.ts';
import { endReportsOfReplaced, replaceSoldItem } from '../inventory/inventory.queries.ts';
import { enqueueOrderMail, type MailKind } from '../mails/send-mail.ts';
import { listItemsOfOrder, listMailsOfOrder } from './admin-orders.queries.ts';
import { tryFinishRefunds } from './finish-refunds.ts';
import { isDisputed } from './freezes.queries.ts';
import { allowedChanges, isUnderWarranty, orderStatusOf } from './order-status.ts';
import { type CancelReason, getOrder, listOrderLines, lockOrderAsAdmin } from './orders.queries.ts';
import { followParcels, listParcels, markParcelsDelivered } from './parcels.queries.ts';
import { beginRefund } from './refund-order.ts';
import { shipLocked } from './ship-order.ts';
import { assertNotDisputed, assertNotFrozen } from './unfreeze-order.ts';

interface Change {
  orderId: string;
  actor: Actor;
}

interface StatusChange extends Change {
  status: OrderStatus;
  carrier?: string | undefined;
  trackingNumber?: string | undefined;
  reason?: string | undefined;
}

/** releaseOrder of the checkout. app.ts passes it in, because checkout imports orders and not the reverse. */
export type ReleaseUnpaid = (
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite: (trx: Transaction, order: OrderRow) => Promise<void>,
) => Promise<void>;

const NO_REASON = 'Cancelled by the shop';

/**
 * Ships, delivers or cancels an order, as far as its status allows (allowedChanges). Cancelling refunds a paid order in
 * full, and cancels the payment of an unpaid one at the provider first. Throws NOT_FOUND, VALIDATION_FAILED,
 * REFUND_REFUSED, and TRANSITION_REFUSED with the changes that are allowed.
 */
export async function updateOrderStatus(deps: Deps, input: StatusChange, releaseUnpaid: ReleaseUnpaid): Promise<void> {
  const { orderId, status, reason = NO_REASON, actor } = input;
  const unpaid = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const parcels = await listParcels(trx, [orderId]);
    const allowed = allowedChanges(order, parcels, await isDisputed(trx, orderId));
    if (!allowed.includes(status)) {
      if (status === 'Cancelled') await assertNotDisputed(trx, orderId);
      throw refused(order, status, allowed);
    }
    if (status === 'Cancelled' && order.state === 'pending') return true;
    await changes[status](deps, trx, order, input);
    return false;
  });
  if (unpaid) {
    // If the provider says that the card was authorised meanwhile, the order is delivered instead.
    const summary = `Cancelled before it was paid: ${reason}`;
    await releaseUnpaid(deps, orderId, 'by-admin', (trx) =>
      writeOrderAudit(deps, trx, { actor, orderId, action: 'order.cancelled', summary }),
    );
    const order = await getOrder(deps.db, orderId);
    if (order.state !== 'cancelled') throw refused(order, status, allowedChanges(order, []));
  } else if (status === 'Cancelled') await tryFinishRefunds(deps, orderId);
}

const changes: Record<
  OrderStatus,
  (deps: Deps, trx: Transaction, order: OrderRow, input: StatusChange) => Promise<void>
> = {
  Processing: (_deps, _trx, order) => Promise.reject(refused(order, 'Processing', [])),

  Shipped: async (deps, trx, order, { carrier, trackingNumber, actor }) => {
    if (!carrier) throw new AppError('VALIDATION_FAILED', 'Please name the carrier', 'carrier');
    if (!trackingNumber) throw new AppError('VALIDATION_FAILED', 'Please enter the tracking number', 'trackingNumber');
    await shipLocked(deps, trx, order, { carrier, trackingNumber, actor });
  },

  Delivered: async (deps, trx, order, { actor }) => {
    const parcels = (await listParcels(trx, [order.id])).filter(({ delivered_at }) => delivered_at === null);
    await markParcelsDelivered(trx, order.id, deps.clock.now());
    await followParcels(trx, order.id, deps.clock.now());
    const what = parcels.length === 1 ? 'the parcel' : `${parcels.length} parcels`;
    const summary = `Marked ${what} as delivered`;
    await writeOrderAudit(deps, trx, { actor, orderId: order.id, action: 'order.delivered', summary });
  },

  Cancelled: async (deps, trx, order, { reason = NO_REASON, actor }) => {
    await beginRefund(deps, trx, order, { reason, userId: actor.userId });
    const summary = `Cancelled and refunded: ${reason}`;
    await writeOrderAudit(deps, trx, { actor, orderId: order.id, action: 'order.cancelled', summary });
  },
};

function refused(order: OrderRow, wanted: OrderStatus, allowed: OrderStatus[]): AppError {
  const message = `This order is ${orderStatusOf(order)} and cannot become ${wanted}`;
  return new AppError('TRANSITION_REFUSED', message, 'status', { allowed });
}

interface Replacement {
  itemId: string;
  reason: string;
  /** What is delivered instead; only for units that a person delivers. */
  content?: string | undefined;
}

/**
 * Delivers another item for a faulty one under warranty, and marks the faulty one as burnt. The new item is one from
 * stock, a new copy, or `content` where a person delivers. Throws NOT_FOUND, OUT_OF_STOCK, VALIDATION_FAILED,
 * ITEM_FROZEN, and ITEM_NOT_AVAILABLE for an item that is not the buyer's or no longer under warranty.
 */
export async function replaceItem(
  deps: Deps,
  { orderId, itemId, reason, content, actor }: Change & Replacement,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    await replaceLocked(deps, trx, order, { itemId, reason, content, actor, warrantyAt: deps.clock.now() });
  });
}

/**
 * Replaces an item of an order that the caller has locked; the item must have been under warranty at `warrantyAt`. It
 * ends with the audit log's entry, so the caller's transaction must do nothing after it.
 */
export async function replaceLocked(
  deps: Deps,
  trx: Transaction,
  order: OrderRow,
  { itemId, reason, content, actor, warrantyAt }: Replacement & { actor: Actor; warrantyAt: Date },
): Promise<void> {
  await assertNotFrozen(trx, order.id);
  const now = deps.clock.now();
  const item = (await listItemsOfOrder(trx, order.id)).find(({ id }) => id === itemId);
  const line = (await listOrderLines(trx, order.id)).find(({ id }) => id === item?.order_line_id);
  if (!item || !line || !isUnderWarranty(order, line, item, warrantyAt)) {
    throw new AppError('ITEM_NOT_AVAILABLE', 'Only a delivered item under warranty can be replaced');
  }
  if (line.delivery === 'shared' || line.delivery === 'file') {
    await replaceByCopy(deps, trx, { faulty: item, delivery: line.delivery, now });
  } else if (line.delivery === 'manual') {
    const message = 'A person delivers this: please enter what is delivered instead, on the page of the order';
    if (!content) throw new AppError('VALIDATION_FAILED', message, 'content');
    const { id: lineId, product_id: productId } = line;
    await replaceByItem(trx, item.id, newItem(deps, { productId, lineId, unit: item.unit ?? 1, content, now }));
  } else if (!(await replaceSoldItem(trx, item.id, now))) {
    throw new AppError('OUT_OF_STOCK', `There is no “${line.name}” in stock to replace it with`);
  }
  await endReportsOfReplaced(trx, item.id, now);
  await enqueueOrderMail(deps, trx, 'item-replaced', order);
  const summary = `Replaced a faulty item of “${line.name}”: ${reason}`;
  await writeOrderAudit(deps, trx, { actor, orderId: order.id, action: 'order.item-replaced', summary });
}

const HOUR_SECONDS = 60 * 60;
/** The limit of one order's mails, by all administrators together, so that no buyer is flooded. */
const MAX_MAILS_PER_HOUR = 5;

const lastMails: Partial<Record<OrderState, MailKind>> = { fulfilled: 'order-delivered', refunded: 'order-refunded' };

/**
 * Sends the last mail of an order again: about its delivery, with a new link to its items, about its shipping, or about
 * its refund. Throws NOT_FOUND, RATE_LIMITED, and TRANSITION_REFUSED when no mail was sent.
 */
export async function resendMail(deps: Deps, { orderId, actor }: Change): Promise<void> {
  const since = deps.clock.now().getTime() - HOUR_SECONDS * 1_000;
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const isShipped = order.state === 'fulfilled' && (await listParcels(trx, [orderId])).length > 0;
    const kind = isShipped ? ('order-shipped' as const) : lastMails[order.state];
    if (!kind) throw new AppError('TRANSITION_REFUSED', 'There is no mail to send for this order');
    const recent = (await listMailsOfOrder(trx, orderId)).filter((mail) => mail.created_at.getTime() > since);
    if (recent.length >= MAX_MAILS_PER_HOUR) {
      const message = 'This buyer got enough mails for now. Please try again later.';
      throw new AppError('RATE_LIMITED', message, undefined, { retryAfterSeconds: HOUR_SECONDS });
    }
    await enqueueOrderMail(deps, trx, kind, order);
    const summary = `Sent the mail about the order to ${order.contact_email} again`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.mail-resent', summary });
  });
}
