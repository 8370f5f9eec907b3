import { DEFAULT_COUNTRY } from '../../../shared/accounts.ts';
import type { Order, OrderState, OrderStatus } from '../../../shared/orders.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { OrderRefund } from './order-refunds.queries.ts';
import type { OrderWithLines } from './orders.queries.ts';
import { presentRefund, refundStatusOf } from './present-refunds.ts';

const statuses: Record<OrderState, OrderStatus> = {
  pending: 'Processing',
  capturing: 'Processing',
  fulfilled: 'Delivered',
  cancelled: 'Cancelled',
  refunding: 'Cancelled',
  refunded: 'Cancelled',
  disputed: 'Cancelled',
};

// Of the provider's words the ones that an order's state stands for; the intent itself is not asked for a list.
const paymentStatuses: Record<OrderState, string> = {
  pending: 'pending',
  capturing: 'requires_capture',
  fulfilled: 'succeeded',
  cancelled: 'canceled',
  refunding: 'succeeded',
  refunded: 'refunded',
  disputed: 'disputed',
};

/** An order as its buyer may see it. */
export function presentOrder(order: OrderWithLines & { refunds: OrderRefund[] }): Order {
  return {
    _id: order.id,
    orderType: order.type,
    status: statusOf(order),
    refundStatus: refundStatusOf(order),
    createdAt: order.created_at.toISOString(),
    orderItems: order.lines.map((line) => ({
      _id: line.id,
      product: line.product_id,
      name: line.name,
      quantity: line.quantity,
      image: line.image,
      category: line.category,
      price: toDollars(line.unit_price_cents),
    })),
    paymentMethod: 'Card',
    paymentResult:
      order.payment_intent_id === null
        ? null
        : { id: order.payment_intent_id, status: paymentStatuses[order.state] },
    isPaid: order.paid_at !== null,
    itemsPrice: toDollars(order.items_cents),
    taxPrice: toDollars(order.tax_cents),
    shippingPrice: toDollars(order.shipping_cents),
    totalPrice: toDollars(order.total_cents),
    refundedPrice: toDollars(order.refunded_cents),
    refunds: order.refunds.map((refund) => presentRefund(refund, order.lines)),
    shippingAddress: presentAddress(order),
    contactEmail: order.contact_email,
  };
}

/** Keys are with their buyer as soon as they are paid for; a parcel travels first. */
export function statusOf(order: OrderRow): OrderStatus {
  const travels = order.type === 'physical' && order.state === 'fulfilled' && order.delivered_at === null;
  if (!travels) return statuses[order.state];
  return order.shipped_at === null ? 'Processing' : 'Shipped';
}

function presentAddress(order: OrderRow): Order['shippingAddress'] {
  if (order.type === 'digital') return null;
  return {
    street: order.shipping_street ?? '',
    city: order.shipping_city ?? '',
    state: order.shipping_state ?? '',
    zipCode: order.shipping_zip_code ?? '',
    country: order.shipping_country ?? DEFAULT_COUNTRY,
  };
}
