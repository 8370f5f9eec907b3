import type { AdminOrderPage } from '../../../shared/admin-orders.ts';
import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { maskItem } from '../inventory/read-item.ts';
import { refundedUnitsOf } from '../orders/order-refunds.queries.ts';
import type { OrderLine } from '../orders/orders.queries.ts';
import { isWhollyRefunded, presentRefund } from '../orders/present-refunds.ts';
import { type DeskOrder, readOrders } from './order-list.queries.ts';
import {
  listDeedsOnOrder,
  listItemsOfOrder,
  listMailsOfOrder,
  listRevealsOfOrder,
} from './order-page.queries.ts';
import { allowedChanges, isRefundable, isUnderWarranty } from './order-rules.ts';
import { orderTimeline } from './order-timeline.ts';
import { presentDeskOrder } from './present-desk-order.ts';

/** All there is to know of an order; its secrets masked. */
export async function readOrderPage(deps: Deps, orderId: string): Promise<AdminOrderPage> {
  const [order] = await readOrders(deps.db, [orderId]);
  if (!order) throw new AppError('NOT_FOUND', 'Order not found');
  const [items, mails, reveals, deeds] = await Promise.all([
    listItemsOfOrder(deps.db, orderId),
    listMailsOfOrder(deps.db, orderId),
    listRevealsOfOrder(deps.db, orderId),
    listDeedsOnOrder(deps.db, orderId),
  ]);
  const refundedUnits = refundedUnitsOf(order.refunds);
  const lines = order.lines.map(async (line) => ({
    ...presentLine(order, line, refundedUnits),
    items: await presentItems(deps, order, line, items),
  }));
  return {
    ...presentDeskOrder(order),
    lines: await Promise.all(lines),
    phone: order.guest_phone,
    ip: order.ip,
    carrier: order.carrier,
    trackingNumber: order.tracking_number,
    cancelReason: order.cancel_reason,
    refundReason: order.refund_reason,
    refunds: order.refunds.map((refund) => ({
      ...presentRefund(refund, order.lines),
      _id: refund.id,
      reason: refund.reason,
      state: refund.state,
    })),
    mails: mails.map(({ kind, recipient, created_at, sent_at }) => ({
      kind,
      recipient,
      createdAt: created_at.toISOString(),
      sentAt: sent_at?.toISOString() ?? null,
    })),
    timeline: orderTimeline({ order, mails, reveals, deeds }),
    allowed: [...allowedChanges(order)],
    refundable: isRefundable(order),
  };
}

function presentLine(order: DeskOrder, line: OrderLine, refundedUnits: ReadonlyMap<string, number>) {
  return {
    _id: line.id,
    product: line.product_id,
    name: line.name,
    image: line.image,
    category: line.category,
    quantity: line.quantity,
    price: toDollars(line.unit_price_cents),
    warranty: line.warranty_days,
    refundedQuantity: isWhollyRefunded(order) ? line.quantity : (refundedUnits.get(line.id) ?? 0),
  };
}

function presentItems(deps: Deps, order: DeskOrder, line: OrderLine, items: readonly ItemRow[]) {
  return Promise.all(
    items
      .filter((item) => item.order_line_id === line.id)
      .map(async (item) => ({
        _id: item.id,
        number: item.unit ?? 1,
        masked: await maskItem(deps, item),
        state: item.state,
        deliveredAt: item.delivered_at?.toISOString() ?? null,
        viewed: item.first_viewed_at !== null,
        isReplacement: items.some(({ replaced_by }) => replaced_by === item.id),
        isReplaced: item.replaced_by !== null,
        replaceable: isUnderWarranty(order, line, item, deps.clock.now()),
      })),
  );
}
