import { formatPrice } from '../../../shared/currency.ts';
import { orderNumber } from '../../../shared/order-words.ts';
import type { MailContents } from '../mails/send-mail.ts';
import { named, orderOf, SORRY, toOrder } from './order-mails.ts';
import { sumOf } from './refunds.queries.ts';

export const refundMails = {
  'refund-returned': async ({ config }, trx, mail) => {
    const { order } = await orderOf(trx, mail);
    const owed = sumOf(order.refunds.filter(({ state }) => state !== 'done'));
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
