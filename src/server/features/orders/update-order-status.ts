import type { BodyOf } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { assertStillAdministrator, writeOrderAudit } from '../admin/audit-log.queries.ts';
import { tryFinishRefunds } from './finish-refunds.ts';
import { assertNotDisputed, isDisputed } from './freezes.queries.ts';
import { allowedChanges, orderStatusOf } from './order-status.ts';
import { type AdminChange, type CancelReason, getOrder, lockOrderAsAdmin } from './orders.queries.ts';
import { followParcels, listParcels, markParcelsDelivered } from './parcels.queries.ts';
import { beginRefund } from './refund-order.ts';
import { listRefunds } from './refunds.queries.ts';
import { shipLocked } from './ship-order.ts';

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
  const unpaid = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    if (await wasCancelledBy(trx, order, input)) return false;
    const parcels = await listParcels(trx, [orderId]);
    const allowed = allowedChanges(order, parcels, await isDisputed(trx, orderId));
    if (!allowed.includes(status)) {
      if (status === 'Cancelled') await assertNotDisputed(trx, orderId);
      throw refused(order, status, allowed);
    }
    if (status === 'Cancelled' && order.state === 'pending') {
      // Checked before the payment is cancelled at the provider.
      await assertStillAdministrator(trx, actor);
      return true;
    }
    await changes[status](deps, trx, order, input);
    return false;
  });
  if (unpaid) {
    // If the card was authorised meanwhile, the order is delivered instead.
    const summary = `Cancelled before it was paid: ${reason}`;
    await releaseUnpaid(deps, orderId, 'by-admin', (trx) =>
      writeOrderAudit(deps, trx, { actor, orderId, action: 'order.cancelled', summary }),
    );
    const order = await getOrder(deps.db, orderId);
    if (order.state !== 'cancelled') throw refused(order, status, allowedChanges(order, []));
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

  Cancelled: async (deps, trx, order, { reason = NO_REASON, draft: id, actor }) => {
    await beginRefund(deps, trx, order, { id, reason, userId: actor.userId });
    const summary = `Cancelled and refunded: ${reason}`;
    await writeOrderAudit(deps, trx, { actor, orderId: order.id, action: 'order.cancelled', summary });
  },
};

function refused(order: OrderRow, wanted: OrderStatus, allowed: OrderStatus[]): AppError {
  const message = `This order is ${orderStatusOf(order)} and cannot become ${wanted}`;
  return new AppError('TRANSITION_REFUSED', message, 'status', { allowed });
}
