import type { AdminOrderPage, OrderEvent } from '../../../shared/admin-orders.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { cardName, isolateNames, unitsInWords } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { ItemRow, OrderRow } from '../../platform/database/tables.ts';
import { hasUndecidedPart } from '../admin/alerts.queries.ts';
import { readAnswers } from '../delivery/delivery.queries.ts';
import { maskItem } from '../inventory/item-actions.ts';
import type { OrderMailKind } from '../mails/send-mail.ts';
import { type OrderHistory, readOrderHistory } from './admin-orders.queries.ts';
import { isEmailCorrectable } from './correct-email.ts';
import { causeOf, isAfterLoss, isOpenDispute } from './freezes.queries.ts';
import {
  allowedChanges,
  cardOf,
  deliveryByPayment,
  eventAt,
  isReadyWhenPaid,
  isRefundable,
  isUnderWarranty,
  presentAdminOrder,
  presentLine,
  presentParcel,
  presentRefund,
  returnedQuantityOf,
} from './order-status.ts';
import type { CancelReason, FullOrder, OrderLine } from './orders.queries.ts';
import type { OrderParcel } from './parcels.queries.ts';
import { isFollowedOnly, isSettleable, type OrderRefund } from './refunds.queries.ts';

/** Returns everything about an order, with its secrets masked. Throws NOT_FOUND. */
export async function readAdminOrderPage(deps: Deps, orderId: string): Promise<AdminOrderPage> {
  const history = await readOrderHistory(deps.db, orderId);
  const { order, items, mails, unshipped, notes, freezes, waiting } = history;
  const answers = await readAnswers(deps, orderId);
  const disputed = freezes.some(isOpenDispute);
  const lines = order.lines.map(async (line) => ({
    ...presentLine(line),
    warranty: line.warranty_days,
    refundedQuantity: returnedQuantityOf(order, line),
    unshippedQuantity: order.state === 'fulfilled' ? (unshipped.get(line.id) ?? 0) : 0,
    delivery: line.delivery,
    answers: answers.get(line.id) ?? [],
    region: line.region,
    platform: line.platform,
    waitingUnits: waiting.get(line.id) ?? [],
    items: await presentItems(deps, order, line, items),
  }));
  return {
    ...presentAdminOrder(order),
    lines: await Promise.all(lines),
    contactName: order.guest_name,
    phone: order.guest_phone,
    ip: order.ip,
    cancelReason: order.cancel_reason,
    refundReason: order.refund_reason,
    refunds: order.refunds.map((refund) => presentAdminRefund(refund, order)),
    mails: mails.map(({ kind, recipient, created_at, sent_at, refused_at }) => ({
      kind: shownKind(kind, order),
      recipient,
      createdAt: created_at.toISOString(),
      sentAt: sent_at?.toISOString() ?? null,
      refusedAt: refused_at?.toISOString() ?? null,
    })),
    notes: notes.map(({ id, text, author, created_at }) => ({
      _id: id,
      text,
      author: author ?? 'a former administrator',
      at: created_at.toISOString(),
    })),
    timeline: orderTimeline(history),
    allowed: allowedChanges(order, { hasParcels: order.parcels.length > 0, isDisputed: disputed }),
    refundable: isRefundable(order, freezes) && !disputed,
    // Does not check the account of an order that waits for its e-mail; correctEmail does.
    emailCorrectable: await isEmailCorrectable(deps.db, order),
    questioned: freezes.some(({ cause }) => cause !== 'restore'),
    frozen: order.state === 'fulfilled' ? (causeOf(freezes) ?? null) : null,
    disputed: order.state === 'fulfilled' && disputed,
    givenByHand: await hasUndecidedPart(deps.db, orderId),
    itemsOpenAt: order.items_open_at?.toISOString() ?? null,
  };
}

const presentAdminRefund = (refund: OrderRefund, { lines, refunds }: FullOrder): AdminOrderPage['refunds'][number] => ({
  ...presentRefund(refund, lines),
  _id: refund.id,
  reason: refund.reason,
  state: refund.state,
  attempt: refund.attempt,
  isFollowedOnly: isFollowedOnly(refund),
  failure: refund.failure,
  isSettleable: isSettleable(refund, refunds),
  settledNote: refund.settled_note,
});

function presentItems(deps: Deps, order: OrderRow, line: OrderLine, items: readonly ItemRow[]) {
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

/** Actions of the audit log that the timeline of the order shows, too. */
const auditedEvents = new Map<string, OrderEvent['kind']>([
  ['order.email-corrected', 'email-corrected'],
  ['order.unit-delivered', 'delivered'],
  ['order.item-replaced', 'replaced'],
  ['order.unfrozen', 'unfrozen'],
  ['order.refund-retried', 'refund-started'],
  ['order.refund-settled', 'refunded'],
]);

function orderTimeline({ order, mails, reveals, audit, freezes }: OrderHistory): OrderEvent[] {
  /** Returns the actor of the first audit entry with this action at or after `at`, as ` by {actor}`. */
  const by = (action: string, at: Date | null) => {
    const entry = audit.find((candidate) => candidate.action === action && at !== null && candidate.at >= at);
    return entry ? ` by ${entry.actor}` : '';
  };
  const buyer = order.guest_name || order.user_name || order.contact_email;
  const cancelled = order.cancel_reason ? cancelReasons[order.cancel_reason] : '';
  return [
    ...eventAt(order.created_at, 'created', `Ordered by ${buyer}${order.guest ? ' as a guest' : ''}`),
    ...eventAt(order.paid_at, 'paid', `Paid ${formatPrice(order.total_cents)} by card`),
    ...deliveryByPayment(order),
    ...order.parcels.flatMap((parcel) => travelled(parcel, order, by)),
    ...eventAt(order.cancelled_at, 'cancelled', `Cancelled${cancelled}${by('order.cancelled', order.cancelled_at)}`),
    ...eventAt(order.disputed_at, 'disputed', 'The dispute was lost; the items were withdrawn'),
    ...freezes.flatMap((freeze) => frozen(freeze, order)),
    ...reveals.flatMap(revealed),
    ...order.refunds.flatMap((refund) => refunded(refund, order.lines)),
    ...mails.flatMap((mail) => mailed({ ...mail, kind: shownKind(mail.kind, order) })),
    ...audit.flatMap(({ action, at, actor, summary }) => {
      const kind = auditedEvents.get(action);
      return kind ? eventAt(at, kind, `${isolateNames(summary)} (by ${actor})`) : [];
    }),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function travelled(
  parcel: OrderParcel,
  { parcels, lines, shipped_at: shippedAll }: OrderHistory['order'],
  by: (action: string, at: Date | null) => string,
) {
  const { carrier, tracking_number: trackingNumber, shipped_at: shipped, delivered_at: delivered } = parcel;
  const isOnly = parcels.length === 1 && shippedAll !== null;
  const contents = unitsInWords(presentParcel(parcel, lines).items);
  const way = carrier ? ` with ${carrier}, tracking number ${trackingNumber}` : '';
  return [
    ...eventAt(shipped, 'shipped', `Shipped${isOnly ? '' : ` ${contents}`}${way}${by('order.shipped', shipped)}`),
    ...eventAt(
      delivered,
      'delivered',
      `${isOnly ? 'Delivered' : `Parcel ${parcel.number} delivered`}${by('order.delivered', delivered)}`,
    ),
  ];
}

function frozen(
  { cause, frozen_at: begun, ended_at: ended, outcome }: OrderHistory['freezes'][number],
  order: OrderHistory['order'],
): OrderEvent[] {
  const what = {
    dispute: 'The cardholder disputes the payment',
    inquiry: 'The bank inquires about the payment',
    'fraud-warning': 'The bank warns that the payment may be fraud',
    restore: 'A backup was restored',
  }[cause];
  return [
    ...eventAt(begun, 'frozen', isAfterLoss(begun, order) ? what : `${what}; unseen items were frozen`),
    ...eventAt(
      outcome === 'won' ? ended : null,
      'unfrozen',
      isAfterLoss(ended, order) ? reversed : cause === 'inquiry' ? closed : won,
    ),
  ];
}

const won = 'The dispute was won; the items were unfrozen';
const closed = 'The bank has closed its inquiry; the items are the buyer’s again';
const reversed = 'The dispute was won after all; the goods stay withdrawn';

const cancelReasons: Record<CancelReason, string> = {
  abandoned: ': it was not paid in time',
  replaced: ': the buyer changed the cart',
  'payment-failed': ': the payment failed',
  'by-admin': '',
};

function revealed({ first_at: at, times, reason, name }: OrderHistory['reveals'][number]): OrderEvent[] {
  if (reason !== null) return eventAt(at, 'revealed-to-admin', `An item was read by ${name}: ${reason}`);
  return eventAt(at, 'revealed', `Seen by the buyer${times > 1 ? ` for the first time, ${times} times in all` : ''}`);
}

function refunded(refund: OrderRefund, lines: OrderLine[]): OrderEvent[] {
  const { cents, reason, actor, created_at: begun, finished_at: done, settled_note: note } = refund;
  const amount = formatPrice(cents);
  const items = unitsInWords(presentRefund(refund, lines).items);
  return [
    ...eventAt(begun, 'refund-started', `Refund of ${amount} begun${actor ? ` by ${actor}` : ''}: ${reason}`),
    // A refund that was settled in another way is shown by its audit entry, which has the note.
    ...eventAt(
      note === null ? done : null,
      'refunded',
      `${amount} given back to ${cardName(cardOf(refund))}${items && ` for ${items}`}`,
    ),
  ];
}

const mailWords = new Map<string, string>(
  Object.entries({
    'order-delivered': 'Your order is ready',
    'order-confirmed': 'Your order is confirmed',
    'order-refunded': 'Your order has been refunded',
    'order-refunded-in-part': 'A part of your order has been refunded',
    'refund-returned': 'Your refund did not reach you',
    'order-shipped': 'Your order is on its way',
    'item-replaced': 'Your replacement is ready',
    'report-answered': 'We have answered your problem report',
    'unit-delivered': 'Your order is delivered',
    'file-updated': 'There is a new version of your file',
    'order-email-corrected': 'Your order now has this email',
    'order-email-left': 'The order no longer has this email',
  } satisfies Record<OrderMailKind | 'order-confirmed', string>),
);

const shownKind = (kind: string, order: FullOrder) =>
  kind === 'order-delivered' && !isReadyWhenPaid(order) ? 'order-confirmed' : kind;

function mailed({ kind, recipient, created_at, sent_at, refused_at }: OrderHistory['mails'][number]) {
  const fate = sent_at ? 'sent' : refused_at ? 'could not be sent' : 'waits to be sent';
  const text = `Mail “${mailWords.get(kind) ?? kind}” ${fate} to ${recipient}`;
  return eventAt(sent_at ?? refused_at ?? created_at, 'mail', text);
}
