import { accountMails } from './features/accounts/account-mails.ts';
import type { MailContents } from './features/mails/mail-contents.ts';
import { orderLookupMails } from './features/order-lookup/look-up-order.ts';
import { orderMails } from './features/orders/order-mails.ts';
import { twoFactorMails } from './features/two-factor/two-factor-mails.ts';

/** Every mail of the shop. */
export const mailContents: MailContents = {
  ...orderMails,
  ...orderLookupMails,
  ...accountMails,
  ...twoFactorMails,
};
