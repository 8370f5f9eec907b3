import { trackingUrlOf } from '../../../shared/carriers.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { formatAddress, formatShopMoment } from '../../../shared/format.ts';
import { cardName, orderNumber, unitsInWords } from '../../../shared/order-words.ts';
import { adjustmentsOf, toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import type { MailRow } from '../mails/mails.queries.ts';
import type { MailContents } from '../mails/send-mail.ts';
import { BY_HAND, linkTexts, linkToItems, NOT_IN_MAIL, type OrderLink, WAITS } from './link-to-items.ts';
import { isDeliveredByPayment } from './order-status.ts';
import {
  addressOfOrder,
  type FullOrder,
  getOrder,
  type OrderLine,
  readFullOrder,
  totalsOfOrder,
} from './orders.queries.ts';
import type { OrderParcel } from './parcels.queries.ts';
import { presentParcel, presentRefund } from './present-order.ts';

export const orderMails = {
  'order-delivered': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order, mail);
    const number = orderNumber(order.id);
    if (order.type === 'physical') return confirmation(order, lines, { kind, url });
    const thanks = `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}.`;
    const waits = kind === 'verify-link';
    const byHand = lines.some(({ delivery }) => delivery === 'manual');
    const isReady = lines.some(isDeliveredByPayment);
    const state = isReady ? 'ready' : 'confirmed';
    const delivered = byHand
      ? `It is paid${isReady ? ', and a part of it is delivered' : ''}.`
      : 'It is paid and delivered.';
    return {
      subject: waits ? `Verify your e-mail to open your order ${number}` : `Your order ${number} is ${state}`,
      heading: waits ? 'A paid order is waiting: verify your e-mail' : `Your order is ${state}`,
      paragraphs: [
        `${thanks} ${waits ? 'It is paid, and its items are yours.' : delivered}`,
        ...(byHand ? [BY_HAND] : []),
        ...(isReady && !waits ? [NOT_IN_MAIL] : []),
        ...(waits ? [WAITS] : []),
      ],
      receipt: receiptOf(order, lines),
      action: { url, ...linkTexts[kind] },
    };
  },
  'item-replaced': async (deps, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `The replacement for your order ${orderNumber(order.id)} is ready`,
      heading: 'Your replacement is ready',
      paragraphs: [
        `We have replaced a faulty item of ${named(order)}.`,
        'For your safety the new item is not in this mail. You find it on your order page, in the place of the faulty one and marked as its replacement.',
        ...(kind === 'verify-link' ? [WAITS] : []),
      ],
      action: { url, ...linkTexts[kind] },
    };
  },
  'order-email-corrected': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `Your order ${orderNumber(order.id)} now has this e-mail`,
      heading: 'Your order has this e-mail address now',
      paragraphs: [
        `As you asked us to, we have corrected the e-mail address of ${named(order)}.`,
        'Links that were mailed to the other address no longer work.',
        ...(order.items_open_at ? [`For your safety its items open on ${formatShopMoment(order.items_open_at)}.`] : []),
        ...(kind === 'verify-link' ? [WAITS] : []),
      ],
      receipt: receiptOf(order, lines),
      action: { url, ...linkTexts[kind] },
    };
  },
  // Nobody has proven this address, so the mail names neither the new address nor what was bought.
  'order-email-left': async ({ config }, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    return {
      subject: `The order ${orderNumber(order.id)} no longer has this e-mail`,
      heading: 'An order has another e-mail address now',
      paragraphs: [
        `We were told that ${named(order)} was placed with this address by mistake, and have corrected it. Links that we mailed here no longer work.`,
        `If it is your order, and you did not ask for this, write to ${config.contact.email}${order.items_open_at ? ' within the hour: until then nobody can open its items' : ' soon'}.`,
        'If you know nothing of this order, there is nothing to do.',
      ],
    };
  },
  // The mail leaves out the answer, which may contain the item.
  'report-answered': async (deps, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `We have answered your problem report on order ${orderNumber(order.id)}`,
      heading: 'We have answered your problem report',
      paragraphs: [
        `You reported a problem with an item of ${named(order)}.`,
        'You find our answer on your order page, below the item, and can reply there.',
      ],
      action: { url, ...linkTexts[kind] },
    };
  },
  'unit-delivered': async (deps, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order, mail);
    const parcelsFollow = order.type === 'physical' && order.delivered_at === null;
    const part = order.waiting_units > 0 || parcelsFollow ? 'a part of ' : '';
    return {
      subject: `${part ? 'A part of your' : 'Your'} order ${orderNumber(order.id)} is delivered`,
      heading: `${part ? 'A part of your' : 'Your'} order is delivered`,
      paragraphs: [
        `We have delivered ${part}${named(order)}.${part && ' The rest follows.'}`,
        NOT_IN_MAIL,
        ...(kind === 'verify-link' ? [WAITS] : []),
      ],
      action: { url, ...linkTexts[kind] },
    };
  },
  'order-shipped': async ({ config }, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    const isWhole = order.shipped_at !== null && order.waiting_units === 0;
    return {
      subject: isWhole
        ? `Your order ${orderNumber(order.id)} is on its way`
        : `A part of your order ${orderNumber(order.id)} is on its way`,
      heading: isWhole ? 'Your order is on its way' : 'A part of your order is on its way',
      paragraphs: [
        isWhole ? `We have shipped ${named(order)}.` : `We have shipped a part of ${named(order)}. The rest follows.`,
        ...order.parcels.map((parcel) => parcelInWords(parcel, order)),
      ],
      receipt: receiptOf(order, lines),
      action: toOrder(config, order, 'There you see when it has arrived.'),
    };
  },
  'order-refunded': async ({ config }, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    const taken = `We have refunded what was taken for ${named(order)}. It was not delivered.`;
    return {
      subject: `Your order ${orderNumber(order.id)} has been refunded`,
      heading: 'Your order has been refunded',
      paragraphs: [
        order.paid_at === null ? taken : `We have refunded ${named(order)} in full.`,
        ...refundsInWords(order),
        TAKES_DAYS,
        ...(lines.some(({ kind }) => kind === 'digital') ? [NOT_SHOWN] : []),
      ],
      receipt: receiptOf(order, lines),
      action: toOrder(config, order, SORRY),
    };
  },
  // Names all refunds so far, so that several such mails do not contradict each other.
  'order-refunded-in-part': async ({ config }, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    return {
      subject: `A part of your order ${orderNumber(order.id)} has been refunded`,
      heading: 'A part of your order has been refunded',
      paragraphs: [
        `We have refunded a part of ${named(order)}: ${formatPrice(order.refunded_cents)} so far.`,
        ...refundsInWords(order),
        TAKES_DAYS,
        order.state === 'fulfilled' ? 'The rest of your order stays yours.' : 'The rest is on its way, too.',
      ],
      receipt: [...receiptOf(order, lines), { label: 'Refunded (USD)', amount: formatPrice(-order.refunded_cents) }],
      action: toOrder(config, order, SORRY),
    };
  },
} satisfies Partial<MailContents>;

export async function orderOf(trx: Transaction, mail: MailRow): Promise<{ order: FullOrder; lines: OrderLine[] }> {
  if (mail.order_id === null) throw new Error(`Mail ${mail.id} has no order`);
  const order = await readFullOrder(trx, await getOrder(trx, mail.order_id));
  return { order, lines: order.lines };
}

/** The mail about a paid order with physical goods; its digital lines, if any, are delivered by the payment. */
function confirmation(order: FullOrder, lines: OrderLine[], { kind, url }: OrderLink): MailContent {
  const number = orderNumber(order.id);
  const hasItems = lines.some((line) => line.kind === 'digital');
  const address = addressOfOrder(order);
  const waits = kind === 'verify-link';
  return {
    subject: waits ? `Verify your e-mail to see your order ${number}` : `Your order ${number} is confirmed`,
    heading: waits ? 'A paid order is waiting: verify your e-mail' : 'Your order is confirmed',
    paragraphs: [
      `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}. It is paid.`,
      `We send it to ${address && formatAddress(address)}, and write to you when it is on its way.`,
      ...(lines.some(isDeliveredByPayment) ? [`Its digital items are delivered. ${NOT_IN_MAIL}`] : []),
      ...(lines.some(({ delivery }) => delivery === 'manual') ? [BY_HAND] : []),
      ...(waits ? [WAITS] : []),
    ],
    receipt: receiptOf(order, lines),
    action: { url, ...linkTexts[kind], ...(!hasItems && kind === 'order-page' && { label: 'View your order' }) },
  };
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

const receiptOf = (order: OrderRow, lines: readonly OrderLineRow[]): NonNullable<MailContent['receipt']> => [
  ...lines.map(({ name, quantity, unit_price_cents }) => ({
    label: `${quantity} × ${name}`,
    amount: formatPrice(quantity * unit_price_cents),
  })),
  ...adjustmentsOf(totalsOfOrder(order)).map(({ label, cents }) => ({ label, amount: formatPrice(cents) })),
  { label: 'Total (USD)', amount: formatPrice(order.total_cents) },
];

export const toOrder = (
  { publicUrl }: Deps['config'],
  { id }: OrderRow,
  note: string,
): NonNullable<MailContent['action']> => ({ label: 'View your order', url: `${publicUrl}/orders/${id}`, note });

const NOT_SHOWN = 'The items of this order are no longer shown on its page.';
const TAKES_DAYS = 'Depending on your bank it takes 5 to 10 days until you see the money on your card.';
export const SORRY = 'We are sorry that it did not work out.';

function refundsInWords({ refunds, lines }: FullOrder): string[] {
  return refunds
    .map((refund) => presentRefund(refund, lines))
    .filter(({ state }) => state === 'done')
    .map((refund) => {
      const items = unitsInWords(refund.items);
      const amount = `${formatPrice(toCents(refund.amount))}${items && ` for ${items}`}`;
      const told = refund.message && ` We add: ${refund.message}`;
      if (refund.isByHand) return `${amount} was given back in another way on ${formatShopMoment(refund.at)}.${told}`;
      return `${amount} went back to ${cardName(refund.card)} on ${formatShopMoment(refund.at)}.${told}`;
    });
}
