import type { AdminOrder } from '../../../shared/admin-orders.ts';
import type { CheckoutStatus, PaymentStatus } from '../../../shared/checkout.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { formatShopMoment, unitsInWords } from '../../../shared/format.ts';
import type {
  Order,
  OrderState,
  OrderStatus,
  OwnOrder,
  PaidCard,
  Parcel,
  Refund,
  RefundStatus,
} from '../../../shared/orders.ts';
import { pricesOf, toDollars } from '../../../shared/pricing.ts';
import { trackingUrlOf } from '../../../shared/shipping.ts';
import type { FreezeRow, ItemRow, OrderLineRow, OrderRow, RefundRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import { isReversed } from './freezes.queries.ts';
import { addressOfOrder, type FullOrder, type OrderLine, totalsOfOrder } from './orders.queries.ts';
import type { OrderParcel } from './parcels.queries.ts';
import { isFollowedOnly, type OrderRefund, refundedUnitsOf } from './refunds.queries.ts';

interface StateNames {
  status: OrderStatus;
  /** The provider's status of the payment, derived from the order's, so that a list need not read every intent. */
  payment: string;
  /** For the browser that is paying. */
  checkout: CheckoutStatus['state'];
  /** For the other pages of that browser; null once the payment has ended. Mails and the order's page tell the rest. */
  progress: PaymentStatus['state'] | null;
}

/** Names of each order state outside the database. */
export const stateNames: Record<OrderState, StateNames> = {
  pending: { status: 'Processing', payment: 'pending', checkout: 'open', progress: 'open' },
  capturing: { status: 'Processing', payment: 'requires_capture', checkout: 'paid', progress: 'paid' },
  fulfilled: { status: 'Delivered', payment: 'succeeded', checkout: 'paid', progress: 'ready' },
  cancelled: { status: 'Cancelled', payment: 'canceled', checkout: 'cancelled', progress: 'failed' },
  refunding: { status: 'Cancelled', payment: 'succeeded', checkout: 'cancelled', progress: null },
  refunded: { status: 'Cancelled', payment: 'refunded', checkout: 'cancelled', progress: null },
  disputed: { status: 'Cancelled', payment: 'disputed', checkout: 'cancelled', progress: null },
};

/**
 * The status that people see. An order is Processing until all of its physical goods are shipped and everything that a
 * person delivers is delivered; other digital goods are delivered by the payment.
 */
export function orderStatusOf(order: OrderRow): OrderStatus {
  if (waitsForPerson(order)) return 'Processing';
  const travels = order.type === 'physical' && order.state === 'fulfilled' && order.delivered_at === null;
  if (!travels) return stateNames[order.state].status;
  return order.shipped_at === null ? 'Processing' : 'Shipped';
}

/** Whether a line is digital and its items are delivered as soon as the order is paid. */
export const isDeliveredByPayment = ({ delivery }: Pick<OrderLineRow, 'delivery'>): boolean =>
  delivery !== null && delivery !== 'manual';

/** The event of an order's timeline that its digital items were delivered; it names them if a person delivers others. */
export function deliveryByPayment({ lines, fulfilled_at }: FullOrder) {
  const delivered = lines.filter(isDeliveredByPayment);
  if (delivered.length === 0) return [];
  const isEverything = lines.every(({ delivery }) => delivery !== 'manual');
  const what = isEverything ? 'Digital items' : unitsInWords(delivered);
  return eventAt(fulfilled_at, 'delivered', `${what} delivered`);
}

/** Whether a paid order has units that a person still has to deliver. */
const waitsForPerson = (order: OrderRow): boolean => order.state === 'fulfilled' && order.waiting_units > 0;

/** Whether the order is neither paid nor cancelled, so that its money may still be authorised or captured. */
export const isOpen = ({ state }: Pick<OrderRow, 'state'>): boolean => state === 'pending' || state === 'capturing';

/** Whether the order's money was captured, whatever happened to the order afterwards. */
export const isPaid = (order: OrderRow): boolean => !isOpen(order) && order.state !== 'cancelled';

/**
 * Whether a guest paid the order with the unverified e-mail of an existing account. Nobody owns the order until the
 * e-mail is verified (docs/security.md).
 */
export const waitsForEmail = (order: OrderRow): boolean =>
  order.guest && order.user_id === null && order.state === 'fulfilled';

/**
 * Returns the units of a line that were refunded or are being refunded. Once the whole order is, these are all of them,
 * because a refund of all that was left has no units.
 */
export function returnedQuantityOf({ state, refunds }: FullOrder, { id, quantity }: OrderLine): number {
  if (state === 'refunding' || state === 'refunded') return quantity;
  return refundedUnitsOf(refunds).get(id) ?? 0;
}

export function refundStatusOf(order: OrderRow & { refunds: readonly OrderRefund[] }): RefundStatus {
  if (order.state === 'refunded') return 'Refunded';
  if (order.refunds.some(({ state }) => state !== 'done')) return 'Refund under way';
  return order.refunded_cents > 0 ? 'Partly refunded' : null;
}

/**
 * Whether a paid order can be refunded: its last refund ends it. After a lost dispute the bank has the money, unless the
 * decision was reversed. Ignores refunds under way; beginRefund counts them.
 */
export const isRefundable = ({ state }: OrderRow, freezes: readonly FreezeRow[]): boolean =>
  state === 'fulfilled' || (state === 'disputed' && isReversed(freezes));

/** Whether the items of an order may be shown. They are hidden for an hour after its e-mail was corrected. */
export const areItemsOpen = ({ items_open_at }: OrderRow, now: Date): boolean =>
  items_open_at === null || items_open_at <= now;

/** Throws ITEM_NOT_AVAILABLE in the hour after the order's e-mail was corrected. */
export function assertItemsOpen(order: OrderRow, now: Date): void {
  const { items_open_at: opensAt } = order;
  if (opensAt === null || areItemsOpen(order, now)) return;
  const message = `The email of this order was corrected. Its items open on ${formatShopMoment(opensAt)}.`;
  throw new AppError('ITEM_NOT_AVAILABLE', message);
}

/** The statuses that an administrator may give an order. A refund after the delivery is not a status. */
const transitions: Record<OrderRow['type'], Record<OrderStatus, readonly OrderStatus[]>> = {
  digital: { Processing: ['Cancelled'], Shipped: [], Delivered: [], Cancelled: [] },
  physical: { Processing: ['Shipped', 'Cancelled'], Shipped: ['Delivered'], Delivered: [], Cancelled: [] },
};

export function allowedChanges(order: OrderRow, { hasParcels = false, isDisputed = false } = {}): OrderStatus[] {
  const allowed = transitions[order.type][orderStatusOf(order)];
  // An order cannot be cancelled while its money is being captured or disputed. Once a parcel is shipped, it can only
  // be refunded. Only a paid order can be shipped.
  const mayCancel = order.state !== 'capturing' && !isDisputed && !hasParcels;
  return allowed.filter((next) => {
    if (next === 'Cancelled') return mayCancel && !(order.type === 'digital' && order.state === 'fulfilled');
    return order.state === 'fulfilled' && !(next === 'Shipped' && order.shipped_at !== null);
  });
}

/** Whether a delivered item may be replaced: its buyer has it, within the warranty, which begins with delivery. */
export function isUnderWarranty(order: OrderRow, line: OrderLineRow, item: ItemRow, now: Date): boolean {
  if (order.state !== 'fulfilled' || item.state !== 'sold' || item.delivered_at === null) return false;
  return now < warrantyEnd(item.delivered_at, line.warranty_days);
}

export const warrantyEnd = (deliveredAt: Date, days: number): Date => new Date(deliveredAt.getTime() + days * DAY_MS);

export const presentLine = (line: OrderLine): Order['orderItems'][number] => ({
  _id: line.id,
  product: line.product_id,
  name: line.name,
  quantity: line.quantity,
  image: line.image,
  category: line.category,
  price: toDollars(line.unit_price_cents),
  productType: line.kind,
});

/** Whether the mail about the paid order says that it is ready. Otherwise the mail confirms the order. */
export const isReadyWhenPaid = ({ type, lines }: FullOrder): boolean =>
  type === 'digital' && lines.some(isDeliveredByPayment);

/** An order as its buyer may see it, also without an account. */
export function presentOrder(order: FullOrder): Order {
  return {
    _id: order.id,
    orderType: order.type,
    status: orderStatusOf(order),
    refundStatus: refundStatusOf(order),
    createdAt: order.created_at.toISOString(),
    orderItems: order.lines.map(presentLine),
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
 * A refund as its buyer may see it: pending if the provider refused it at once, because it is requested again; failed
 * if it failed after the provider had accepted it, because it then waits for a person.
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
