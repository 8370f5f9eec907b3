import { trackingUrlOf } from '../../../shared/carriers.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { formatShopMoment } from '../../../shared/format.ts';
import { cardName, OPENING_ENDS_RETURN, orderNumber, returnedItems } from '../../../shared/order-words.ts';
import { adjustmentsOf, toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { createLink } from '../accounts/mailed-links.ts';
import type { MailContent } from '../mails/mail-layout.ts';
import type { MailRow } from '../mails/mails.queries.ts';
import type { MailContents } from '../mails/send-mail.ts';
import {
  addressOfOrder,
  type FullOrder,
  getOrder,
  type OrderLine,
  readFullOrder,
  totalsOfOrder,
} from './orders.queries.ts';
import type { OrderParcel } from './parcels.queries.ts';
import { presentRefund } from './present-order.ts';

export const orderMails = {
  'order-delivered': async (deps, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order);
    const number = orderNumber(order.id);
    if (order.type === 'physical') return confirmation(order, lines, { kind, url });
    const thanks = `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}.`;
    const waits = kind === 'verify-link';
    return {
      subject: waits ? `Verify your e-mail to open your order ${number}` : `Your order ${number} is ready`,
      heading: waits ? 'A paid order is waiting: verify your e-mail' : 'Your order is ready',
      paragraphs: waits
        ? [`${thanks} It is paid, and its items are yours.`, WAITS]
        : [
            `${thanks} It is paid and delivered.`,
            `For your safety the items themselves are not in this mail. You find them on your order page. ${OPENING_ENDS_RETURN}`,
          ],
      receipt: receiptOf(order, lines),
      action: { url, ...linkTexts[kind] },
    };
  },
  'item-replaced': async (deps, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    const { kind, url } = await linkToItems(deps, trx, order);
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
  'order-shipped': async ({ config }, trx, mail) => {
    const { order, lines } = await orderOf(trx, mail);
    const isWhole = order.shipped_at !== null;
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
    return {
      subject: `Your order ${orderNumber(order.id)} has been refunded`,
      heading: 'Your order has been refunded',
      paragraphs: [
        `We have refunded ${named(order)} in full.`,
        ...refundsInWords(order),
        TAKES_DAYS,
        ...(lines.some(({ kind }) => kind === 'digital')
          ? ['The items of this order are no longer shown on its page.']
          : []),
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
        'The rest of your order stays yours.',
      ],
      receipt: [...receiptOf(order, lines), { label: 'Refunded (USD)', amount: formatPrice(-order.refunded_cents) }],
      action: toOrder(config, order, SORRY),
    };
  },
} satisfies Partial<MailContents>;

type MailDeps = Pick<Deps, 'clock' | 'config'>;

async function orderOf(trx: Transaction, mail: MailRow): Promise<{ order: FullOrder; lines: OrderLine[] }> {
  if (mail.order_id === null) throw new Error(`Mail ${mail.id} has no order`);
  const order = await readFullOrder(trx, await getOrder(trx, mail.order_id));
  return { order, lines: order.lines };
}

/** What the buyer of physical goods reads once the order is paid; digital lines of it are delivered already. */
function confirmation(order: FullOrder, lines: OrderLine[], { kind, url }: OrderLink): MailContent {
  const number = orderNumber(order.id);
  const hasItems = lines.some((line) => line.kind === 'digital');
  const address = addressOfOrder(order);
  const waits = kind === 'verify-link';
  const place = [address?.street, address?.city, `${address?.zipCode} ${address?.state}`.trim(), address?.country];
  return {
    subject: waits ? `Verify your e-mail to see your order ${number}` : `Your order ${number} is confirmed`,
    heading: waits ? 'A paid order is waiting: verify your e-mail' : 'Your order is confirmed',
    paragraphs: [
      `Thank you for your order ${number} of ${formatShopMoment(order.created_at)}. It is paid.`,
      `We send it to ${place.filter((part) => part).join(', ')}, and write to you when it is on its way.`,
      ...(hasItems
        ? [
            `Its digital items are delivered: for your safety they are not in this mail. You find them on your order page. ${OPENING_ENDS_RETURN}`,
          ]
        : []),
      ...(waits ? [WAITS] : []),
    ],
    receipt: receiptOf(order, lines),
    action: { url, ...linkTexts[kind], ...(!hasItems && kind === 'order-page' && { label: 'View your order' }) },
  };
}

function parcelInWords(
  { number, carrier, tracking_number: tracking, lines }: OrderParcel,
  { parcels, lines: ordered, shipped_at }: FullOrder,
) {
  const way = `with ${carrier ?? 'our carrier'}, tracking number ${tracking ?? 'unknown'}.`;
  const page = trackingUrlOf(carrier, tracking);
  const where = page ? ` Where it is: ${page}` : '';
  if (parcels.length === 1 && shipped_at !== null) return `It travels ${way}${where}`;
  const contents = lines.map(
    ({ order_line_id: id, quantity }) => `${quantity} × ${ordered.find((line) => line.id === id)?.name}`,
  );
  return `Parcel ${number} (${contents.join(', ')}) travels ${way}${where}`;
}

const named = (order: OrderRow) => `your order ${orderNumber(order.id)} of ${formatShopMoment(order.created_at)}`;

const receiptOf = (order: OrderRow, lines: readonly OrderLineRow[]): NonNullable<MailContent['receipt']> => [
  ...lines.map(({ name, quantity, unit_price_cents }) => ({
    label: `${quantity} × ${name}`,
    amount: formatPrice(quantity * unit_price_cents),
  })),
  ...adjustmentsOf(totalsOfOrder(order)).map(({ label, cents }) => ({ label, amount: formatPrice(cents) })),
  { label: 'Total (USD)', amount: formatPrice(order.total_cents) },
];

const toOrder = (
  { publicUrl }: Deps['config'],
  { id }: OrderRow,
  note: string,
): NonNullable<MailContent['action']> => ({ label: 'View your order', url: `${publicUrl}/orders/${id}`, note });

const TAKES_DAYS = 'Depending on your bank it takes 5 to 10 days until you see the money on your card.';
const SORRY = 'We are sorry that it did not work out.';

function refundsInWords({ refunds, lines }: FullOrder): string[] {
  return refunds
    .map((refund) => presentRefund(refund, lines))
    .filter(({ state }) => state === 'done')
    .map((refund) => {
      const items = returnedItems(refund);
      const amount = `${formatPrice(toCents(refund.amount))}${items && ` for ${items}`}`;
      const told = refund.message && ` We add: ${refund.message}`;
      return `${amount} went back to ${cardName(refund.card)} on ${formatShopMoment(refund.at)}.${told}`;
    });
}

/**
 * Leads to the items: on the order's page after signing in, by the link that gives a new account its password, or by the link
 * that verifies the e-mail that the order waits for.
 */
interface OrderLink {
  kind: 'order-page' | 'claim-link' | 'verify-link';
  url: string;
}

/** The link has a secret only when signing in does not help: the order waits for its e-mail, or its account has no password. */
async function linkToItems(deps: MailDeps, trx: Transaction, order: FullOrder): Promise<OrderLink> {
  const owner = order.user_id === null ? undefined : await findUser(trx, order.user_id);
  if (owner && owner.password_hash !== null) {
    const hasItems = order.lines.some((line) => line.kind === 'digital');
    const page = hasItems ? 'order-items' : 'orders';
    return { kind: 'order-page', url: `${deps.config.publicUrl}/${page}/${order.id}` };
  }
  const url = await createLink(deps, trx, { purpose: 'order-claim', order_id: order.id });
  return { kind: order.user_id === null ? 'verify-link' : 'claim-link', url };
}

const WAITS =
  'This e-mail address already has an account here, but nobody has verified the address. The order is not in the ' +
  'account, not even when you sign in, until you verify the address.';

const linkTexts: Record<OrderLink['kind'], { label: string; note: string }> = {
  'order-page': { label: 'View your items', note: 'You are asked to sign in, so that nobody else can see them.' },
  'claim-link': {
    label: 'Choose a password and view your items',
    note:
      'The link opens the account of this e-mail address. It works once, within 7 days. ' +
      'If you chose a password while paying, you can simply sign in instead. ' +
      'Do not pass this mail on: anyone who has the link can open your items.',
  },
  'verify-link': {
    label: 'Verify and open your order',
    note:
      'The link verifies this address and works once, within 7 days. You choose a new password, other devices are signed ' +
      'out, and the order is in your account. If you know the password of the account, you can keep it: sign in, choose ' +
      '"Send verification mail" under My Orders, and open the link of that mail instead. ' +
      'Do not pass this mail on: anyone who has the link can open your items.',
  },
};
