import { orderMails } from './features/checkout/order-mails.ts';
import type { MailContents } from './features/mails/mail-contents.ts';

/** Every mail of the shop. */
export const mailContents: MailContents = { ...orderMails };
