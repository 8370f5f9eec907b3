import { formatPrice } from '../../../shared/currency.ts';
import { orNotFound } from '../../../shared/errors.ts';
import { cardName, isolated, unitsInWords } from '../../../shared/format.ts';
import type { OrderPage, OrderStep } from '../../../shared/order-page.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FreezeRow } from '../../platform/database/tables.ts';
import { isAfterLoss, listFreezes } from '../orders/freezes.queries.ts';
import { deliveryByPayment, eventAt, presentOrder, presentRefund } from '../orders/order-status.ts';
import { type FullOrder, findOrderOfUser, readFullOrder } from '../orders/orders.queries.ts';
import type { OrderParcel } from '../orders/parcels.queries.ts';
import { findCancellation, type OrderRefund } from '../orders/refunds.queries.ts';
import { listReceipts } from '../receipts/receipts.ts';
import { isUntouched, listLaterItems } from './order-page.queries.ts';

/** Everything about an order for its buyer, without its secrets. Throws NOT_FOUND, also for another buyer's order. */
export async function readOrderPage({ db }: Pick<Deps, 'db'>, order: { orderId: string; userId: string }) {
  const row = orNotFound(await findOrderOfUser(db, order), 'Order not found');
  return presentOrderPage(db, await readFullOrder(db, row));
}

/** Does the same for a caller that has checked access. */
export async function presentOrderPage(db: Database, order: FullOrder): Promise<OrderPage> {
  const [laterItems, receipts, cancelled, cancellable, freezes] = await Promise.all([
    listLaterItems(db, order.id),
    listReceipts(db, order.id),
    findCancellation(db, order.id),
    isUntouched(db, order),
    listFreezes(db, order.id),
  ]);
  const timeline = [
    ...eventAt(order.created_at, 'placed', 'Order placed'),
    ...eventAt(order.paid_at, 'paid', `Paid ${formatPrice(order.total_cents)} by card`),
    ...deliveryByPayment(order),
    ...order.parcels.flatMap((parcel) => parcelSteps(parcel, order)),
    ...laterItems.flatMap(({ name, at, isReplacement }): OrderStep[] =>
      isReplacement
        ? eventAt(at, 'replaced', `A faulty item of ${isolated(name)} was replaced`)
        : eventAt(at, 'delivered', `${isolated(name)} delivered`),
    ),
    ...eventAt(order.cancelled_at, 'cancelled', 'Cancelled, because the payment failed'),
    ...eventAt(cancelled?.at ?? null, 'cancelled', 'Cancelled by you'),
    ...eventAt(order.disputed_at, 'disputed', 'The bank has given the money back, so the items were withdrawn'),
    ...freezes
      .filter(({ frozen_at }) => !isAfterLoss(frozen_at, order))
      .flatMap((freeze) => freezeSteps(freeze, order)),
    ...order.refunds.flatMap((refund) => refundSteps(refund, order)),
  ];
  return {
    ...presentOrder(order),
    card: receipts.find(({ content }) => content.kind === 'receipt')?.content.card ?? null,
    receipts: receipts.map(({ number, issued_at, content: { kind, totalCents } }) => ({
      number,
      kind,
      issuedAt: issued_at.toISOString(),
      total: toDollars(totalCents),
    })),
    cancellable,
    timeline: timeline.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  };
}

function parcelSteps(
  { number, carrier, shipped_at, delivered_at }: OrderParcel,
  { parcels, shipped_at: all }: FullOrder,
) {
  const isOnlyParcel = parcels.length === 1 && all !== null;
  const shipped = isOnlyParcel ? 'Shipped' : `Parcel ${number} shipped`;
  const delivered = isOnlyParcel ? 'Parcel delivered' : `Parcel ${number} delivered`;
  return [
    ...eventAt(shipped_at, 'shipped', carrier ? `${shipped} with ${carrier}` : shipped),
    ...eventAt(delivered_at, 'delivered', delivered),
  ];
}

const freezeSteps = ({ cause, frozen_at, ended_at, outcome }: FreezeRow, order: FullOrder) => [
  ...eventAt(
    frozen_at,
    'frozen',
    `${cause === 'restore' ? 'We check the order' : 'The bank asks about the payment'}, so what was not opened yet is locked`,
  ),
  ...eventAt(
    outcome === 'lost' || isAfterLoss(ended_at, order) ? null : ended_at,
    'unfrozen',
    'What was not opened yet is unlocked',
  ),
];

function refundSteps(refund: OrderRefund, { lines }: FullOrder): OrderStep[] {
  const { card, isByHand, ...shown } = presentRefund(refund, lines);
  const items = unitsInWords(shown.items);
  const amount = formatPrice(refund.cents);
  return [
    ...eventAt(refund.created_at, 'refund-started', `Refund of ${amount}${items && ` for ${items}`} begun`),
    ...eventAt(
      refund.finished_at,
      'refunded',
      `${amount} given back ${isByHand ? 'in another way' : `to ${cardName(card)}`}`,
    ),
  ];
}
