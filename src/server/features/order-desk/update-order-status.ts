import { AppError } from '../../../shared/errors.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { beginRefund } from '../checkout/begin-refund.ts';
import { releaseOrder } from '../checkout/release-order.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { markParcelDelivered, markShipped } from '../orders/parcels.queries.ts';
import { statusOf } from '../orders/present-order.ts';
import { finishOrLeave } from './finish-or-leave.ts';
import { lockDeskOrder } from './lock-desk-order.ts';
import { allowedChanges } from './order-rules.ts';

export interface UpdateOrderStatus {
  orderId: string;
  status: OrderStatus;
  carrier?: string | undefined;
  trackingNumber?: string | undefined;
  reason?: string | undefined;
  actor: Actor;
}

const NO_REASON = 'Cancelled by the shop';

/**
 * Ships, delivers or cancels an order, as the table of transitions allows. What was paid for a cancelled one goes back in
 * full; one that is not paid is cancelled at the provider first. Throws NOT_FOUND, VALIDATION_FAILED, and TRANSITION_REFUSED
 * with what is allowed.
 */
export async function updateOrderStatus(deps: Deps, input: UpdateOrderStatus): Promise<void> {
  const unpaid = await deps.db.transaction().execute(async (trx) => {
    const order = await lockDeskOrder(trx, input.orderId, input.actor);
    if (!allowedChanges(order).includes(input.status)) throw refused(order, input.status);
    if (input.status === 'Cancelled' && order.state === 'pending') return true;
    await changes[input.status](deps, trx, order, input);
    return false;
  });
  if (unpaid) await cancelUnpaid(deps, input);
  else if (input.status === 'Cancelled') await finishOrLeave(deps, input.orderId);
}

type Change = (deps: Deps, trx: Transaction, order: OrderRow, input: UpdateOrderStatus) => Promise<void>;

const changes: Record<OrderStatus, Change> = {
  Processing: (_deps, _trx, order) => Promise.reject(refused(order, 'Processing')),

  Shipped: async (deps, trx, order, { carrier, trackingNumber, actor }) => {
    if (!carrier) throw new AppError('VALIDATION_FAILED', 'Please name the carrier', 'carrier');
    if (!trackingNumber)
      throw new AppError('VALIDATION_FAILED', 'Please enter the tracking number', 'trackingNumber');
    await markShipped(trx, { id: order.id, carrier, trackingNumber, now: deps.clock.now() });
    const buyer = { recipient: order.contact_email, orderId: order.id, userId: order.user_id };
    await enqueueMail(deps, trx, { kind: 'order-shipped', ...buyer });
    const summary = `Shipped with ${carrier}, tracking number ${trackingNumber}`;
    await writeAudit(deps, trx, entry(order, actor, 'shipped', summary));
  },

  Delivered: async (deps, trx, order, { actor }) => {
    await markParcelDelivered(trx, { id: order.id, now: deps.clock.now() });
    await writeAudit(deps, trx, entry(order, actor, 'delivered', 'Marked the parcel as delivered'));
  },

  Cancelled: async (deps, trx, order, { reason = NO_REASON, actor }) => {
    await beginRefund(deps, trx, order, { reason, userId: actor.userId });
    await writeAudit(deps, trx, entry(order, actor, 'cancelled', `Cancelled and refunded: ${reason}`));
  },
};

/** The provider decides: where the card was authorised meanwhile, the order is delivered instead. */
async function cancelUnpaid(
  deps: Deps,
  { orderId, status, reason = NO_REASON, actor }: UpdateOrderStatus,
): Promise<void> {
  await releaseOrder(deps, orderId, 'by-admin', async (trx, order) => {
    await writeAudit(deps, trx, entry(order, actor, 'cancelled', `Cancelled before it was paid: ${reason}`));
  });
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'cancelled') throw refused(order, status);
}

const entry = (order: OrderRow, actor: Actor, deed: string, summary: string) => ({
  actor,
  action: `order.${deed}`,
  subject: { type: 'order' as const, id: order.id },
  summary,
});

function refused(order: OrderRow, wanted: OrderStatus): AppError {
  const message = `This order is ${statusOf(order)} and cannot become ${wanted}`;
  return new AppError('TRANSITION_REFUSED', message, 'status', { allowed: allowedChanges(order) });
}
