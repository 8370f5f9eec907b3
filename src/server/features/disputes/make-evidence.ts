import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import { cardName, OPENING_ENDS_RETURN, orderNumber, plural, unitsInWords } from '../../../shared/format.ts';
import { receiptNumber } from '../../../shared/order-page.ts';
import type { Deps } from '../../deps.ts';
import type { ReceiptRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { html, type Markup } from '../../platform/http/html.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import {
  listDeliveredUnits,
  type OrderHistory,
  type ReadUnit,
  readOrderHistory,
} from '../orders/admin-orders.queries.ts';
import { cardOf, presentRefund } from '../orders/order-status.ts';
import { addressOfOrder } from '../orders/orders.queries.ts';
import { listReceipts } from '../receipts/receipts.ts';

/**
 * Makes the evidence against a bank's claim: one HTML page to print, without the delivered secrets. Writes an audit
 * entry. Throws NOT_FOUND, and TRANSITION_REFUSED for an order without a claim of a bank.
 */
export async function makeEvidence(deps: Deps, { orderId, actor }: { orderId: string; actor: Actor }) {
  const history = await readOrderHistory(deps.db, orderId);
  const freezes = history.freezes.filter(({ cause }) => cause !== 'restore');
  if (freezes.length === 0) throw new AppError('TRANSITION_REFUSED', 'No bank has questioned this payment');
  const units = await listDeliveredUnits(deps.db, orderId);
  const [receipt] = await listReceipts(deps.db, orderId);
  const { storeName, publicUrl } = deps.config;
  const page = renderEvidence({ ...history, freezes, units, receipt, storeName, publicUrl, madeAt: deps.clock.now() });
  const summary = 'Downloaded the evidence for the bank';
  await deps.db
    .transaction()
    .execute((trx) => writeOrderAudit(deps, trx, { actor, orderId, action: 'order.evidence-downloaded', summary }));
  return { name: `evidence-${orderNumber(orderId)}.html`, page };
}

type Evidence = OrderHistory & {
  units: ReadUnit[];
  receipt: ReceiptRow | undefined;
  storeName: string;
  publicUrl: string;
  madeAt: Date;
};

/** A field of Stripe's evidence form, and its content. */
type Row = [field: string, content: string];

/** Renders one file without external resources. It can be printed in any browser to a PDF, which Stripe accepts. */
function renderEvidence(evidence: Evidence): string {
  const { order, storeName, madeAt } = evidence;
  const title = `Evidence for order #${orderNumber(order.id)}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<style>
body { font: 11pt/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff }
table { border-collapse: collapse; width: 100%; margin-bottom: 1.5rem }
th, td { border: 1px solid #999; padding: .35rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
th { width: 14rem; font-weight: 600; background: #f2f2f2 }
td { white-space: pre-line }
h2 { font-size: 13pt; break-after: avoid }
tr { break-inside: avoid }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${storeName}, made on ${moment(madeAt)}. All times are UTC. What was delivered is named, never shown.</p>
${section('Order and customer', orderRows(evidence))}
${section('Delivery and use', [...deliveryRows(evidence), ...parcelRows(evidence)])}
${section('Messages, terms and money', messageRows(evidence))}
</body>
</html>
`.markup;
}

const section = (heading: string, rows: Row[]): Markup => html`<h2>${heading}</h2>
<table>${rows.map(([field, content]) => html`<tr><th>${field}</th><td>${content || 'Not given'}</td></tr>\n`)}</table>`;

const moment = (at: Date | string): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19);

function orderRows({ order, receipt, freezes }: Evidence): Row[] {
  const address = addressOfOrder(order);
  const lines = order.lines.map(
    ({ name, quantity, unit_price_cents: cents }) => `${quantity} × ${name}, ${formatPrice(cents)} each`,
  );
  return [
    ['Customer name', order.guest_name || (order.user_name ?? '')],
    ['Customer email address', order.contact_email],
    [
      'Account',
      order.user_email === null ? 'None' : `${order.user_email}${order.guest ? ', made by this purchase' : ''}`,
    ],
    ['Customer phone', order.guest_phone],
    ['Customer purchase IP', order.ip],
    [
      'Shipping address',
      address
        ? [address.street, address.city, address.state, address.zipCode, address.country].join(', ')
        : 'Digital goods: none',
    ],
    ['Product description', lines.join('\n')],
    ['Ordered', moment(order.created_at)],
    ['Service date (paid)', order.paid_at ? moment(order.paid_at) : ''],
    ['Amount', formatPrice(order.total_cents)],
    ['Payment', `${order.payment_intent_id ?? ''}, ${cardName(receipt?.content.card ?? null)}`],
    ['Receipt', receipt ? `Number ${receiptNumber(receipt.number)} of ${moment(receipt.issued_at)}` : ''],
    ['Claims of the bank', freezes.map(({ id, cause, frozen_at: at }) => `${moment(at)} ${cause} ${id}`).join('\n')],
  ];
}

const andMore = (count: number) => `and ${count} more ${plural(count, 'time')}`;

/** Stripe's "access activity log". */
function deliveryRows({ units }: Evidence): Row[] {
  return units.map(({ name, unit, deliveredAt, replaced, readings, times }) => [
    `${name}, unit ${unit}`,
    [
      `${moment(deliveredAt)} delivered to the order's page`,
      ...readings.map(({ at, ip, userAgent, account }) => {
        const how = account ? `signed in as ${account}` : 'opened with a code mailed to the customer email address';
        return `${moment(at)} shown to the customer at IP ${ip}, ${how}, browser: ${userAgent || 'not given'}`;
      }),
      ...(times > readings.length ? [andMore(times - readings.length)] : []),
      ...(times === 0 ? ['Never shown to the customer'] : []),
      ...(replaced ? ['Replaced by another one under warranty'] : []),
    ].join('\n'),
  ]);
}

const parcelRows = ({ order }: Evidence): Row[] =>
  order.parcels.map(({ number, carrier, tracking_number: tracking, shipped_at: shipped, delivered_at: delivered }) => [
    `Parcel ${number}`,
    [
      `Shipping carrier: ${carrier ?? 'not given'}`,
      `Shipping tracking number: ${tracking ?? 'not given'}`,
      `Shipping date: ${moment(shipped)}`,
      ...(delivered ? [`Delivered: ${moment(delivered)}`] : []),
    ].join('\n'),
  ]);

function messageRows({ order, mails, publicUrl }: Evidence): Row[] {
  const isDigital = order.lines.some(({ kind }) => kind === 'digital');
  const refunds = order.refunds.map((refund) => {
    const items = unitsInWords(presentRefund(refund, order.lines).items);
    const way = refund.settled_note === null ? `to ${cardName(cardOf(refund))}` : 'in another way';
    const end = refund.finished_at ? `given back on ${moment(refund.finished_at)} ${way}` : refund.state;
    return `${moment(refund.created_at)} ${formatPrice(refund.cents)}${items && ` for ${items}`}, ${end}`;
  });
  return [
    [
      'Mails to the customer',
      mails
        .map(({ kind, recipient, created_at, sent_at: sent, refused_at: refused }) => {
          const fate = sent ? '' : refused ? ', could not be sent' : ', not sent yet';
          return `${moment(sent ?? refused ?? created_at)} ${kind} to ${recipient}${fate}`;
        })
        .join('\n'),
    ],
    [
      'Terms and refund policy',
      `Shown below the Pay button, with links: “${isDigital ? `${OPENING_ENDS_RETURN} ` : ''}Our terms of sale and refunds apply.”\n` +
        `${publicUrl}/info/terms\n${publicUrl}/info/refunds`,
    ],
    ['Refunds', refunds.join('\n') || 'None'],
  ];
}
