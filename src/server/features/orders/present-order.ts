import type { AdminOrder } from '../../../shared/admin-orders.ts';
import type { Order, OwnOrder, PaidCard, Parcel, Refund } from '../../../shared/orders.ts';
import { pricesOf, toDollars } from '../../../shared/pricing.ts';
import { trackingUrlOf } from '../../../shared/shipping.ts';
import type { OrderLineRow, RefundRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import { isDeliveredByPayment, orderStatusOf, refundStatusOf, stateNames, waitsForPerson } from './order-status.ts';
import { addressOfOrder, type FullOrder, totalsOfOrder } from './orders.queries.ts';
import type { OrderParcel } from './parcels.queries.ts';
import { isFollowedOnly, type OrderRefund } from './refunds.queries.ts';

/** An order as its buyer may see it, also without an account. */
export function presentOrder(order: FullOrder): Order {
  return {
    _id: order.id,
    orderType: order.type,
    status: orderStatusOf(order),
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
      productType: line.kind,
    })),
    hasItems: order.lines.some(({ kind }) => kind === 'digital'),
    isInstant: order.lines.every(isDeliveredByPayment),
    waitingUnits: waitsForPerson(order) ? order.waiting_units : 0,
    parcels: order.parcels.map((parcel) => presentParcel(parcel, order.lines)),
    paymentMethod: 'Card',
    paymentResult:
      order.payment_intent_id === null
        ? null
        : { id: order.payment_intent_id, status: stateNames[order.state].payment },
    isPaid: order.paid_at !== null,
    ...pricesOf(totalsOfOrder(order)),
    refundedPrice: toDollars(order.refunded_cents),
    refunds: order.refunds.map((refund) => presentRefund(refund, order.lines)),
    shippingAddress: addressOfOrder(order),
    contactEmail: order.contact_email,
    guestName: order.guest ? order.guest_name : '',
    guestEmail: order.guest ? order.contact_email : '',
  };
}

export const presentOwnOrder = (order: FullOrder, { userId, name, email }: Owner): OwnOrder => ({
  ...presentOrder(order),
  user: { _id: userId, name, email },
});
type Owner = Pick<Viewer, 'userId' | 'name' | 'email'>;

export const presentParcel = (parcel: OrderParcel, lines: readonly Pick<OrderLineRow, 'id' | 'name'>[]): Parcel => ({
  _id: parcel.id,
  number: parcel.number,
  carrier: parcel.carrier,
  trackingNumber: parcel.tracking_number,
  trackingUrl: trackingUrlOf(parcel.carrier, parcel.tracking_number),
  shippedAt: parcel.shipped_at.toISOString(),
  deliveredAt: parcel.delivered_at?.toISOString() ?? null,
  items: parcel.lines.map(({ order_line_id: line, quantity }) => ({
    line,
    name: lines.find(({ id }) => id === line)?.name ?? '',
    quantity,
  })),
});

/**
 * A refund as its buyer may see it. A refund that the provider refused at once is shown as pending, because it is
 * requested again. A refund that failed after the provider had accepted it is shown as failed, because it waits for a
 * person.
 */
export function presentRefund(refund: OrderRefund, lines: readonly Pick<OrderLineRow, 'id' | 'name'>[]): Refund {
  const { cents, state, created_at: begunAt, finished_at: doneAt, units } = refund;
  return {
    amount: toDollars(cents),
    state: state === 'failed' && !isFollowedOnly(refund) ? 'pending' : state,
    at: (doneAt ?? begunAt).toISOString(),
    card: cardOf(refund),
    isByHand: refund.settled_note !== null,
    items: lines.flatMap(({ id, name }) => {
      const quantity = units.find((unit) => unit.order_line_id === id)?.quantity;
      return quantity === undefined ? [] : [{ name, quantity }];
    }),
    message: refund.message,
  };
}

/** An event of an order's timeline; none if it has not happened. */
export const eventAt = <Kind extends string>(at: Date | null, kind: Kind, text: string) =>
  at ? [{ at: at.toISOString(), kind, text }] : [];

export const cardOf = ({
  card_brand: brand,
  card_last4: last4,
}: Pick<RefundRow, 'card_brand' | 'card_last4'>): PaidCard | null =>
  brand !== null && last4 !== null ? { brand, last4 } : null;

export function presentAdminOrder(
  order: FullOrder & { user_name: string | null; user_email: string | null },
): AdminOrder {
  const { user_id: userId, user_name: name, user_email: email } = order;
  return {
    ...presentOrder(order),
    user: userId === null ? null : { _id: userId, name: name ?? '', email: email ?? '' },
    state: order.state,
  };
}
