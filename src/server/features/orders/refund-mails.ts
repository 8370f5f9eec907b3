import { formatDollars, formatPrice } from '../../../shared/currency.ts';
import { cardName, formatShopMoment, orderNumber, unitsInWords } from '../../../shared/format.ts';
import type { MailContents } from '../mails/send-mail.ts';
import { toOrder } from './link-to-items.ts';
import { amountsOf, named, orderOf } from './order-mails.ts';
import { presentRefund } from './order-status.ts';
import type { FullOrder } from './orders.queries.ts';
import { type OrderRefund, sumOf } from './refunds.queries.ts';

/** A mail may be sent hours later, e.g. after an outage of the mail server. What is no longer true is left out. */
export const refundMails = {
  'order-refunded': async ({ config }, trx, mail) => {
    const order = await orderOf(trx, mail);
    // The refund has failed since. The next successful attempt writes another mail.
    if (order.state === 'refunding') return undefined;
    const taken = `We have refunded what was taken for ${named(order)}. It was not delivered.`;
    return {
      subject: `Your order ${orderNumber(order.id)} has been refunded`,
      heading: 'Your order has been refunded',
      paragraphs: [
        order.paid_at === null ? taken : `We have refunded ${named(order)} in full.`,
        ...refundsInWords(order),
        ...(order.lines.some(({ kind }) => kind === 'digital') ? [NOT_SHOWN] : []),
      ],
      receipt: amountsOf(order),
      action: toOrder(config, order, SORRY),
    };
  },
  // Names all refunds so far, so that several such mails do not contradict each other.
  'order-refunded-in-part': async ({ config }, trx, mail) => {
    const order = await orderOf(trx, mail);
    // The rest was refunded since, about which there is another mail, or the refund has failed since.
    if (order.state === 'refunded' || order.refunded_cents === 0) return undefined;
    return {
      subject: `A part of your order ${orderNumber(order.id)} has been refunded`,
      heading: 'A part of your order has been refunded',
      paragraphs: [
        `We have refunded a part of ${named(order)}: ${formatPrice(order.refunded_cents)} so far.`,
        ...refundsInWords(order),
        ...(order.state === 'fulfilled' ? ['The rest of your order stays yours.'] : []),
        ...(order.state === 'refunding' ? ['The rest is on its way, too.'] : []),
      ],
      receipt: [...amountsOf(order), { label: 'Refunded (USD)', amount: formatPrice(-order.refunded_cents) }],
      action: toOrder(config, order, SORRY),
    };
  },
  'refund-returned': async ({ config }, trx, mail) => {
    const order = await orderOf(trx, mail);
    const owed = sumOf(order.refunds.filter(isReturned));
    if (owed === 0) return undefined;
    return {
      subject: `A refund of your order ${orderNumber(order.id)} did not reach you`,
      heading: 'Your refund did not reach you',
      paragraphs: [
        `Your bank has sent back what we had refunded of ${named(order)}: ${formatPrice(owed)}.`,
        'We still owe you this money. We send it again, or ask you for another way, and write to you when it is done.',
      ],
      action: toOrder(config, order, SORRY),
    };
  },
} satisfies Partial<MailContents>;

const NOT_SHOWN = 'The items of this order are no longer shown on its page.';
const TAKES_DAYS = 'Depending on your bank, it takes 5 to 10 working days until the money is on your card.';
const SORRY = 'We are sorry that it did not work out.';

/** Whether a refund failed after the provider had accepted it, and the next attempt is not done. */
const isReturned = ({ state, provider_id, attempt }: OrderRefund): boolean =>
  (state === 'failed' && provider_id !== null) || (state !== 'done' && attempt > 1);

function refundsInWords({ refunds, lines }: FullOrder): string[] {
  const done = refunds.map((refund) => presentRefund(refund, lines)).filter(({ state }) => state === 'done');
  const sentences = done.map((refund) => {
    const items = unitsInWords(refund.items);
    const amount = `${formatDollars(refund.amount)}${items && ` for ${items}`}`;
    const message = refund.message && ` We add: ${refund.message}`;
    if (refund.isByHand) return `${amount} was given back in another way on ${formatShopMoment(refund.at)}.${message}`;
    return `${amount} went back to ${cardName(refund.card)} on ${formatShopMoment(refund.at)}.${message}`;
  });
  return done.every(({ isByHand }) => isByHand) ? sentences : [...sentences, TAKES_DAYS];
}
