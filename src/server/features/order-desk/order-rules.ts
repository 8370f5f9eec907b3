import { allowedTransitions } from '../../../shared/order-words.ts';
import type { OrderStatus } from '../../../shared/orders.ts';
import type { ItemRow, OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { statusOf } from '../orders/present-order.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What an administrator may turn an order into: by the table, and no unpaid parcel is sent. */
export function allowedChanges(order: OrderRow): OrderStatus[] {
  const allowed = allowedTransitions({ orderType: order.type, status: statusOf(order) });
  return allowed.filter((status) => {
    // Its money is being taken at this moment.
    if (status === 'Cancelled') return order.state !== 'capturing';
    return order.state === 'fulfilled';
  });
}

/** Paid, and not all of it has gone back or is on its way. */
export const isRefundable = (order: OrderRow): boolean =>
  order.state === 'fulfilled' && order.refunded_cents < order.total_cents;

/** Whether a delivered item may be replaced: it is still its buyer's, and the line's warranty runs since it was delivered. */
export function isUnderWarranty(order: OrderRow, line: OrderLineRow, item: ItemRow, now: Date): boolean {
  if (order.state !== 'fulfilled' || item.state !== 'sold' || item.delivered_at === null) return false;
  return now.getTime() < item.delivered_at.getTime() + line.warranty_days * DAY_MS;
}
