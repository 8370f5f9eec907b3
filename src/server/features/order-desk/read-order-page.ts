import type { AdminOrderPage } from '../../../shared/admin-orders.ts';
import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { maskItem } from '../inventory/mask-item.ts';
import { listRefundedUnits, type OrderLine } from '../orders/orders.queries.ts';
import { type DeskOrder, readOrders } from './order-list.queries.ts';
import {
  listDeedsOnOrder,
  listItemsOfOrder,
  listMailsOfOrder,
  listRefundsOfOrder,
  listRevealsOfOrder,
} from './order-page.queries.ts';
import { allowedChanges, isRefundable, isUnderWarranty } from './order-rules.ts';
import { orderTimeline } from './order-timeline.ts';
import { presentDeskOrder } from './present-desk-order.ts';

/** All there is to know of an order; its secrets masked. */
export async function readOrderPage(deps: Deps, orderId: string): Promise<AdminOrderPage> {
  const [order] = await readOrders(deps.db, [orderId]);
  if (!order) throw new AppError('NOT_FOUND', 'Order not found');
  const [items, refunds, refundedUnits, mails, reveals, deeds] = await Promise.all([
    listItemsOfOrder(deps.db, orderId),
    listRefundsOfOrder(deps.db, orderId),
    listRefundedUnits(deps.db, orderId),
    listMailsOfOrder(deps.db, orderId),
    listRevealsOfOrder(deps.db, orderId),
    listDeedsOnOrder(deps.db, orderId),
  ]);
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
    refunds: refunds.map(({ id, cents, reason, state, created_at }) => ({
      _id: id,
      amount: toDollars(cents),
      reason,
      state,
      createdAt: created_at.toISOString(),
    })),
    mails: mails.map(({ kind, recipient, created_at, sent_at }) => ({
      kind,
      recipient,
      createdAt: created_at.toISOString(),
      sentAt: sent_at?.toISOString() ?? null,
    })),
    timeline: orderTimeline({ order, refunds, mails, reveals, deeds }),
    allowed: [...allowedChanges(order)],
    refundable: isRefundable(order),
  };
}

function presentLine(order: DeskOrder, line: OrderLine, refundedUnits: ReadonlyMap<string, number>) {
  const whole = order.state === 'refunding' || order.state === 'refunded';
  return {
    _id: line.id,
    product: line.product_id ?? line.physical_product_id ?? '',
    name: line.name,
    image: line.image,
    category: line.category,
    quantity: line.quantity,
    price: toDollars(line.unit_price_cents),
    warranty: line.warranty_days,
    refundedQuantity: whole ? line.quantity : (refundedUnits.get(line.id) ?? 0),
  };
}

function presentItems(deps: Deps, order: DeskOrder, line: OrderLine, items: readonly ItemRow[]) {
  return Promise.all(
    items
      .filter((item) => item.order_line_id === line.id)
      .map(async (item) => ({
        _id: item.id,
        masked: await maskItem(deps, item),
        state: item.state,
        deliveredAt: item.delivered_at?.toISOString() ?? null,
        viewed: item.first_viewed_at !== null,
        replaceable: isUnderWarranty(order, line, item, deps.clock.now()),
      })),
  );
}
