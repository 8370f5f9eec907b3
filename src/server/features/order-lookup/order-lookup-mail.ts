import { formatShopMoment } from '../../../shared/dates.ts';
import { orderNumber } from '../../../shared/order-number.ts';
import { setSecret } from '../accounts/verifications.queries.ts';
import type { MailContents } from '../mails/mail-contents.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { hashCode, randomCode } from './lookup-code.ts';

/** The code is made here, so that it exists in this mail and nowhere else. */
export const orderLookupMails: Pick<MailContents, 'order-lookup'> = {
  'order-lookup': async ({ clock, config }, trx, { verification_id: id }) => {
    if (id === null) throw new Error('The mail is of no lookup');
    const code = randomCode();
    const secretHash = hashCode(config, id, code);
    const lookup = await setSecret(trx, { id, secretHash, now: clock.now() });
    if (!lookup?.order_id) return undefined;
    const order = await getOrder(trx, lookup.order_id);
    const number = orderNumber(order.id);
    return {
      subject: `Your code for order ${number}`,
      heading: 'Your one-time code',
      paragraphs: [
        `Somebody, we hope you, asked to see your order ${number} of ${formatShopMoment(order.created_at)}. ` +
          'Enter this code on the page where you asked for it:',
      ],
      code: {
        value: code,
        note:
          'It works once, within 10 minutes. Tell it to nobody: whoever has it can see your items. ' +
          'If you have not asked for it, there is nothing to do.',
      },
    };
  },
};
