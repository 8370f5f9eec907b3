import { AppError } from '../../../shared/errors.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { allowedChanges, statusOf } from './order-status.ts';
import { type CancelReason, getOrder, lockOrderAsAdmin, markParcelDelivered, markShipped } from './orders.queries.ts';
import { beginRefund, tryFinishRefunds } from './refund-order.ts';

export interface UpdateOrderStatus {
  orderId: string;
  status: OrderStatus;
  carrier?: string | undefined;
  trackingNumber?: string | undefined;
  reason?: string | undefined;
  actor: Actor;
}

/** The checkout's releaseOrder, handed over by app.ts: the checkout imports the orders, not the other way round. */
export type ReleaseUnpaid = (
  deps: Deps,
  orderId: string,
  reason: CancelReason,
  alsoWrite: (trx: Transaction, order: OrderRow) => Promise<void>,
) => Promise<void>;

const NO_REASON = 'Cancelled by the shop';

/**
 * Ships, delivers or cancels an order, as the table of transitions allows. A cancelled order is refunded in full when it is
 * paid, and cancelled at the provider first when it is not. Throws NOT_FOUND, VALIDATION_FAILED, and TRANSITION_REFUSED
 * with what is allowed.
 */
export async function updateOrderStatus(
  deps: Deps,
  input: UpdateOrderStatus,
  releaseUnpaid: ReleaseUnpaid,
): Promise<void> {
  const unpaid = await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, input.orderId, input.actor);
    if (!allowedChanges(order).includes(input.status)) throw refused(order, input.status);
    if (input.status === 'Cancelled' && order.state === 'pending') return true;
    await changes[input.status](deps, trx, order, input);
    return false;
  });
  if (unpaid) await cancelUnpaid(deps, input, releaseUnpaid);
  else if (input.status === 'Cancelled') await tryFinishRefunds(deps, input.orderId);
}

type Change = (deps: Deps, trx: Transaction, order: OrderRow, input: UpdateOrderStatus) => Promise<void>;

const changes: Record<OrderStatus, Change> = {
  Processing: (_deps, _trx, order) => Promise.reject(refused(order, 'Processing')),

  Shipped: async (deps, trx, order, { carrier, trackingNumber, actor }) => {
    if (!carrier) throw new AppError('VALIDATION_FAILED', 'Please name the carrier', 'carrier');
    if (!trackingNumber) throw new AppError('VALIDATION_FAILED', 'Please enter the tracking number', 'trackingNumber');
    await markShipped(trx, { id: order.id, carrier, trackingNumber, now: deps.clock.now() });
    const buyer = { recipient: order.contact_email, orderId: order.id, userId: order.user_id };
    await enqueueMail(deps, trx, { kind: 'order-shipped', ...buyer });
    const summary = `Shipped with ${carrier}, tracking number ${trackingNumber}`;
    await writeAudit(deps, trx, entry(order, actor, 'shipped', summary));
  },

  Delivered: async (deps, trx, order, { actor }) => {
    await markParcelDelivered(trx, order.id, deps.clock.now());
    await writeAudit(deps, trx, entry(order, actor, 'delivered', 'Marked the parcel as delivered'));
  },

  Cancelled: async (deps, trx, order, { reason = NO_REASON, actor }) => {
    await beginRefund(deps, trx, order, { reason, userId: actor.userId });
    await writeAudit(deps, trx, entry(order, actor, 'cancelled', `Cancelled and refunded: ${reason}`));
  },
};

/** The provider decides: if the card was authorised meanwhile, the order is delivered instead. */
async function cancelUnpaid(
  deps: Deps,
  { orderId, status, reason = NO_REASON, actor }: UpdateOrderStatus,
  releaseUnpaid: ReleaseUnpaid,
): Promise<void> {
  await releaseUnpaid(deps, orderId, 'by-admin', async (trx, order) => {
    await writeAudit(deps, trx, entry(order, actor, 'cancelled', `Cancelled before it was paid: ${reason}`));
  });
  const order = await getOrder(deps.db, orderId);
  if (order.state !== 'cancelled') throw refused(order, status);
}

const entry = (order: OrderRow, actor: Actor, verb: string, summary: string) => ({
  actor,
  action: `order.${verb}`,
  subject: { type: 'order' as const, id: order.id },
  summary,
});

function refused(order: OrderRow, wanted: OrderStatus): AppError {
  const message = `This order is ${statusOf(order)} and cannot become ${wanted}`;
  return new AppError('TRANSITION_REFUSED', message, 'status', { allowed: allowedChanges(order) });
}
