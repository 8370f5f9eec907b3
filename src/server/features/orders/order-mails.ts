import { formatPrice } from '../../../shared/currency.ts';
import { formatAddress, formatShopMoment, isolated, orderNumber, unitsInWords } from '../../../shared/format.ts';
import { adjustmentsOf } from '../../../shared/pricing.ts';
import { trackingUrlOf } from '../../../shared/shipping.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { MailRow } from '../mails/mails.queries.ts';
import type { MailContent, MailContents } from '../mails/send-mail.ts';
import { linkToItems, NOT_IN_MAIL, type OrderLink, toOrder } from './link-to-items.ts';
import { areItemsOpen, isDeliveredByPayment, isReadyWhenPaid, presentParcel } from './order-status.ts';
import { addressOfOrder, type FullOrder, getOrder, readFullOrder, totalsOfOrder } from './orders.queries.ts';
import type { OrderParcel } from './parcels.queries.ts';

export const orderMails = {
  'order-delivered': async (deps, trx, mail) => {
    const order = await orderOf(trx, mail);
    if (!isStillTheirs(order)) return undefined;
    const link = await linkToItems(deps, trx, order, mail);
    const number = orderNumber(order.id);
    if (order.type === 'physical') return confirmation(order, link);
    const thanks = `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}.`;
    const waits = link.kind === 'verify-link';
    const byHand = deliveredByHand(order);
    const isReady = isReadyWhenPaid(order);
    const state = isReady ? 'ready' : 'confirmed';
    const delivered =
      byHand.length > 0
        ? `It is paid${isReady ? ', and a part of it is delivered' : ''}.`
        : 'It is paid and delivered.';
    return {
      subject: waits ? `Verify your email to open your order ${number}` : `Your order ${number} is ${state}`,
      heading: waits ? 'A paid order is waiting: verify your email' : `Your order is ${state}`,
      paragraphs: [
        `${thanks} ${waits ? 'It is paid, and its items are yours.' : delivered}`,
        ...byHand,
        ...(isReady && !waits ? [NOT_IN_MAIL] : []),
        ...link.whyWaiting,
      ],
      receipt: amountsOf(order),
      action: link.action,
    };
  },
  'item-replaced': async (deps, trx, mail) => {
    const order = await orderOf(trx, mail);
    if (!isStillTheirs(order)) return undefined;
    const { action, whyWaiting } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `The replacement for your order ${orderNumber(order.id)} is ready`,
      heading: 'Your replacement is ready',
      paragraphs: [
        `We have replaced a faulty item of ${named(order)}.`,
        'For your safety the new item is not in this mail. You find it on your order page, in the place of the faulty one and marked as its replacement.',
        ...whyWaiting,
      ],
      action,
    };
  },
  'order-email-corrected': async (deps, trx, mail) => {
    const order = await orderOf(trx, mail);
    const { action, whyWaiting } = await linkToItems(deps, trx, order, mail);
    const opensAt = willOpenAt(order, deps.clock.now());
    return {
      subject: `Your order ${orderNumber(order.id)} now has this email`,
      heading: 'Your order has this email address now',
      paragraphs: [
        `As you asked us to, we have corrected the email address of ${named(order)}.`,
        'Links that were mailed to the other address no longer work.',
        ...(opensAt ? [`For your safety its items open on ${formatShopMoment(opensAt)}.`] : []),
        ...whyWaiting,
      ],
      receipt: amountsOf(order),
      action,
    };
  },
  // This address is not verified, so the mail names neither the new address nor the products.
  'order-email-left': async ({ config, clock }, trx, mail) => {
    const order = await orderOf(trx, mail);
    const opensAt = willOpenAt(order, clock.now());
    const when = opensAt ? `before ${formatShopMoment(opensAt)}: until then nobody can open its items` : 'at once';
    return {
      subject: `The order ${orderNumber(order.id)} no longer has this email`,
      heading: 'An order has another email address now',
      paragraphs: [
        `We were told that ${named(order)} was placed with this address by mistake, and have corrected it. Links that we mailed here no longer work.`,
        `If it is your order, and you did not ask for this, write to ${config.contact.email} ${when}.`,
        'If you know nothing of this order, there is nothing to do.',
      ],
    };
  },
  // The mail leaves out the answer, which may contain the item.
  'report-answered': async (deps, trx, mail) => {
    const order = await orderOf(trx, mail);
    const { action } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `We have answered your problem report on order ${orderNumber(order.id)}`,
      heading: 'We have answered your problem report',
      paragraphs: [
        `You reported a problem with an item of ${named(order)}.`,
        'You find our answer on your order page, below the item. While the report is open, you can reply there.',
      ],
      action,
    };
  },
  'unit-delivered': async (deps, trx, mail) => {
    const order = await orderOf(trx, mail);
    if (!isStillTheirs(order)) return undefined;
    const { action, whyWaiting } = await linkToItems(deps, trx, order, mail);
    const parcelsFollow = order.type === 'physical' && order.delivered_at === null;
    const part = order.waiting_units > 0 || parcelsFollow ? 'a part of ' : '';
    return {
      subject: `${part ? 'A part of your' : 'Your'} order ${orderNumber(order.id)} is delivered`,
      heading: `${part ? 'A part of your' : 'Your'} order is delivered`,
      paragraphs: [
        `We have delivered ${part}${named(order)}.${part && ' The rest follows.'}`,
        NOT_IN_MAIL,
        ...whyWaiting,
      ],
      action,
    };
  },
  'order-shipped': async ({ config }, trx, mail) => {
    const order = await orderOf(trx, mail);
    const isWhole = order.shipped_at !== null && order.waiting_units === 0;
    const rest = isStillTheirs(order) ? ' The rest follows.' : '';
    return {
      subject: isWhole
        ? `Your order ${orderNumber(order.id)} is on its way`
        : `A part of your order ${orderNumber(order.id)} is on its way`,
      heading: isWhole ? 'Your order is on its way' : 'A part of your order is on its way',
      paragraphs: [
        isWhole ? `We have shipped ${named(order)}.` : `We have shipped a part of ${named(order)}.${rest}`,
        ...order.parcels.map((parcel) => parcelInWords(parcel, order)),
      ],
      receipt: amountsOf(order),
      action: toOrder(config, order, 'There you see when it has arrived.'),
    };
  },
} satisfies Partial<MailContents>;

/** False for an order refunded or disputed since: its items are withdrawn, so a mail that leads to them is skipped. */
const isStillTheirs = ({ state }: OrderRow): boolean => state === 'fulfilled';

const willOpenAt = (order: OrderRow, now: Date): Date | null => (areItemsOpen(order, now) ? null : order.items_open_at);

export async function orderOf(trx: Transaction, mail: MailRow): Promise<FullOrder> {
  if (mail.order_id === null) throw new Error(`Mail ${mail.id} has no order`);
  return readFullOrder(trx, await getOrder(trx, mail.order_id));
}

/** The mail about a paid order with physical goods. It may also have digital lines. */
function confirmation(order: FullOrder, { kind, action, whyWaiting }: OrderLink): MailContent {
  const number = orderNumber(order.id);
  const hasItems = order.lines.some((line) => line.kind === 'digital');
  const address = addressOfOrder(order);
  const waits = kind === 'verify-link';
  const byHand = deliveredByHand(order);
  const atOnce = byHand.length > 0 ? 'Its other digital items' : 'Its digital items';
  return {
    subject: waits ? `Verify your email to see your order ${number}` : `Your order ${number} is confirmed`,
    heading: waits ? 'A paid order is waiting: verify your email' : 'Your order is confirmed',
    paragraphs: [
      `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}. It is paid.`,
      `We send it to ${address && formatAddress(address)}, and write to you when it is on its way.`,
      ...byHand,
      ...(order.lines.some(isDeliveredByPayment) ? [`${atOnce} are delivered. ${NOT_IN_MAIL}`] : []),
      ...whyWaiting,
    ],
    receipt: amountsOf(order),
    action: { ...action, ...(!hasItems && kind === 'order-page' && { label: 'View your order' }) },
  };
}

/** The paragraph of a mail whose order has items that a person delivers; empty for any other order. */
function deliveredByHand({ lines }: FullOrder): string[] {
  const units = lines.reduce((sum, { delivery, quantity }) => sum + (delivery === 'manual' ? quantity : 0), 0);
  if (units === 0) return [];
  if (units === 1) return ['1 item is delivered by hand. We email you when it is ready.'];
  return [`${units} items are delivered by hand. We email you when they are ready.`];
}

function parcelInWords(parcel: OrderParcel, { parcels, lines, shipped_at }: FullOrder) {
  const { number, carrier, tracking_number: tracking } = parcel;
  const way = `with ${carrier ?? 'our carrier'}, tracking number ${tracking ?? 'unknown'}.`;
  const page = trackingUrlOf(carrier, tracking);
  const where = page ? ` Where it is: ${page}` : '';
  if (parcels.length === 1 && shipped_at !== null) return `It travels ${way}${where}`;
  return `Parcel ${number} (${unitsInWords(presentParcel(parcel, lines).items)}) travels ${way}${where}`;
}

export const named = (order: OrderRow) =>
  `your order ${orderNumber(order.id)} of ${formatShopMoment(order.created_at)}`;

export const amountsOf = (order: FullOrder): NonNullable<MailContent['receipt']> => [
  ...order.lines.map(({ name, quantity, unit_price_cents }) => ({
    label: `${quantity} × ${isolated(name)}`,
    amount: formatPrice(quantity * unit_price_cents),
  })),
  ...adjustmentsOf(totalsOfOrder(order)).map(({ label, cents }) => ({ label, amount: formatPrice(cents) })),
  { label: 'Total (USD)', amount: formatPrice(order.total_cents) },
];
