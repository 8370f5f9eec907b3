import { v7 as uuidv7 } from 'uuid';
import type { BodyOf } from '../../../shared/api.ts';
import { AppError, orNotFound, sentBefore } from '../../../shared/errors.ts';
import { unitsInWords } from '../../../shared/format.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { assertStillAdministrator, writeOrderAudit } from '../admin/audit-log.ts';
import { listUnshippedUnits } from '../catalog/counted-stock.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { changeOrder, type OrderEntry } from './admin-order-actions.ts';
import { tryFinishRefunds } from './finish-refunds.ts';
import { assertNotDisputed, assertNotHeldBack, isDisputed } from './freezes.queries.ts';
import { allowedChanges, orderStatusOf } from './order-status.ts';
import { type AdminChange, type CancelReason, getOrder, listOrderLines } from './orders.queries.ts';
import {
  areSameUnits,
  insertParcel,
  listParcels,
  markParcelsDelivered,
  type OrderParcel,
  sumUnits,
} from './parcels.queries.ts';
import { beginRefund } from './refund-order.ts';
import { listRefunds } from './refunds.queries.ts';

type ShippedParcel = BodyOf<'POST /admin/orders/:id/ship'>;

/**
 * Ships a parcel of a paid order. A draft ships only once. Throws NOT_FOUND, ITEM_FROZEN, and TRANSITION_REFUSED when
 * fewer units wait, or when the draft was sent before with other values.
 */
export async function shipParcel(deps: Deps, parcel: ShippedParcel & AdminChange): Promise<void> {
  const { orderId } = parcel;
  await changeOrder(deps, parcel, async (trx, order) => {
    const sent = (await listParcels(trx, [orderId])).find(({ id }) => id === parcel.draft);
    if (!sent) return shipLocked(deps, trx, order, parcel);
    if (isSameParcel(sent, parcel, await listUnshippedUnits(trx, orderId))) return undefined;
    const { carrier, tracking_number: trackingNumber } = sent;
    const shipped = `shipped a parcel already, with ${carrier}, tracking number ${trackingNumber}`;
    throw sentBefore('TRANSITION_REFUSED', `${shipped}. What you ship now is another parcel.`);
  });
}

function isSameParcel(sent: OrderParcel, parcel: ShippedParcel, waiting: ReadonlyMap<string, number>): boolean {
  const { carrier, trackingNumber, lines } = parcel;
  if (sent.carrier !== carrier || sent.tracking_number !== trackingNumber) return false;
  // If no unit waits now, the stored parcel shipped all waiting units.
  return lines ? areSameUnits(lines, sent.lines) : [...waiting.values()].every((units) => units === 0);
}

/** Ships a parcel in `changeOrder`. Throws ITEM_FROZEN and TRANSITION_REFUSED. */
async function shipLocked(
  deps: Deps,
  trx: Transaction,
  order: OrderRow,
  { carrier, trackingNumber, lines: wanted, draft }: ShippedParcel,
): Promise<OrderEntry> {
  const orderId = order.id;
  await assertNotHeldBack(trx, orderId);
  const waiting = order.state === 'fulfilled' ? await listUnshippedUnits(trx, orderId) : new Map<string, number>();
  const lines = [...(wanted ? sumUnits(wanted) : waiting)].filter(([, units]) => units > 0);
  const tooMany = lines.some(([line, units]) => units > (waiting.get(line) ?? 0));
  if (lines.length === 0 || tooMany) {
    throw new AppError('TRANSITION_REFUSED', 'The order has fewer units left to ship', 'lines');
  }
  const shipped = { order_id: orderId, carrier, tracking_number: trackingNumber, shipped_at: deps.clock.now() };
  if (!(await insertParcel(trx, { id: draft ?? uuidv7(), ...shipped }, lines)))
    throw sentBefore('TRANSITION_REFUSED', 'shipped a parcel of another order already.');
  await enqueueOrderMail(deps, trx, 'order-shipped', order);
  const isWhole = lines.length === waiting.size && lines.every(([line, units]) => units === waiting.get(line));
  const names = new Map((await listOrderLines(trx, orderId)).map(({ id, name }) => [id, name]));
  const contents = unitsInWords(lines.map(([line, quantity]) => ({ name: names.get(line) ?? '', quantity })));
  const summary = `Shipped ${isWhole ? '' : `${contents} `}with ${carrier}, tracking number ${trackingNumber}`;
  return { action: 'order.shipped', summary };
}

/** Marks a parcel as delivered. No effect on a delivered parcel. Throws NOT_FOUND and TRANSITION_REFUSED. */
export async function deliverParcel(
  deps: Deps,
  { orderId, parcel: parcelId, actor }: BodyOf<'POST /admin/orders/:id/deliver-parcel'> & AdminChange,
): Promise<void> {
  await changeOrder(deps, { orderId, actor }, async (trx, order) => {
    const found = (await listParcels(trx, [orderId])).find(({ id }) => id === parcelId);
    const parcel = orNotFound(found, 'Parcel not found');
    if (order.state !== 'fulfilled') throw new AppError('TRANSITION_REFUSED', 'This order has ended');
    if (parcel.delivered_at !== null) return undefined;
    await markParcelsDelivered(trx, orderId, deps.clock.now(), parcelId);
    return { action: 'order.delivered', summary: `Marked parcel ${parcel.number} as delivered` };
  });
}

type StatusChange = BodyOf<'PUT /admin/orders/:id/status'> & AdminChange;

/** `releaseOrder` of the checkout. app.ts passes it in, because checkout imports orders, and not the reverse. */
export type ReleaseUnpaid = (
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite: (trx: Transaction, order: OrderRow) => Promise<void>,
) => Promise<void>;

const NO_REASON = 'Cancelled by the shop';

/**
 * Ships, delivers or cancels an order, if its status allows (allowedChanges). A paid order is refunded in full. For an
 * unpaid order, the payment is cancelled at the provider first. A draft cancels only once. Throws NOT_FOUND,
 * VALIDATION_FAILED, REFUND_REFUSED, and TRANSITION_REFUSED with the changes that are allowed.
 */
export async function updateOrderStatus(deps: Deps, input: StatusChange, releaseUnpaid: ReleaseUnpaid): Promise<void> {
  const { orderId, status, reason = NO_REASON, actor } = input;
  let isUnpaid = false;
  await changeOrder(deps, input, async (trx, order) => {
    if (await wasCancelledBy(trx, order, input)) return undefined;
    const hasParcels = (await listParcels(trx, [orderId])).length > 0;
    const allowed = allowedChanges(order, { hasParcels, isDisputed: await isDisputed(trx, orderId) });
    if (!allowed.includes(status)) {
      if (status === 'Cancelled') await assertNotDisputed(trx, orderId);
      throw refused(order, status, allowed);
    }
    if (status === 'Cancelled' && order.state === 'pending') {
      // Checked before the payment is cancelled at the provider.
      await assertStillAdministrator({ ...deps, db: trx }, actor);
      isUnpaid = true;
      return undefined;
    }
    return changes[status](deps, trx, order, input);
  });
  if (isUnpaid) {
    // If the card was authorised meanwhile, the order is delivered instead.
    const summary = `Cancelled before it was paid: ${reason}`;
    await releaseUnpaid(deps, orderId, 'by-admin', (trx) =>
      writeOrderAudit(deps, trx, { actor, orderId, action: 'order.cancelled', summary }),
    );
    const order = await getOrder(deps.db, orderId);
    if (order.state !== 'cancelled') throw refused(order, status, allowedChanges(order));
  } else if (status === 'Cancelled') await tryFinishRefunds(deps, orderId);
}

/** Whether an earlier try has cancelled the order. A paid order has its refund, an unpaid one had no goods or money. */
async function wasCancelledBy(trx: Transaction, order: OrderRow, { status, draft }: StatusChange): Promise<boolean> {
  if (status !== 'Cancelled' || draft === undefined) return false;
  if (order.state === 'cancelled') return order.cancel_reason === 'by-admin';
  return (await listRefunds(trx, [order.id])).some(({ id }) => id === draft);
}

const changes: Record<
  OrderStatus,
  (deps: Deps, trx: Transaction, order: OrderRow, input: StatusChange) => Promise<OrderEntry>
> = {
  Processing: (_deps, _trx, order) => Promise.reject(refused(order, 'Processing', [])),

  Shipped: async (deps, trx, order, { carrier, trackingNumber }) => {
    if (!carrier) throw new AppError('VALIDATION_FAILED', 'Please name the carrier', 'carrier');
    if (!trackingNumber) throw new AppError('VALIDATION_FAILED', 'Please enter the tracking number', 'trackingNumber');
    return shipLocked(deps, trx, order, { carrier, trackingNumber });
  },

  Delivered: async (deps, trx, order) => {
    const parcels = (await listParcels(trx, [order.id])).filter(({ delivered_at }) => delivered_at === null);
    await markParcelsDelivered(trx, order.id, deps.clock.now());
    const what = parcels.length === 1 ? 'the parcel' : `${parcels.length} parcels`;
    return { action: 'order.delivered', summary: `Marked ${what} as delivered` };
  },

  Cancelled: async (deps, trx, order, { reason = NO_REASON, draft: id, actor }) => {
    await beginRefund(deps, trx, order, { id, reason, userId: actor.userId });
    return { action: 'order.cancelled', summary: `Cancelled and refunded: ${reason}` };
  },
};

function refused(order: OrderRow, wanted: OrderStatus, allowed: OrderStatus[]): AppError {
  const message = `This order is ${orderStatusOf(order)} and cannot become ${wanted}`;
  return new AppError('TRANSITION_REFUSED', message, 'status', { allowed });
}
