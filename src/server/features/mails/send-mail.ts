import { v7 as uuidv7 } from 'uuid';
import { daysBefore } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { html, type Markup } from '../../platform/http/html.ts';
import { MAIL_PATIENCE_MS, MailRefused } from '../../platform/mail/mail-transport.ts';
import { insertMailFailure } from '../notices/notices.queries.ts';
import {
  deleteLinksOfMail,
  hasMail,
  insertMail,
  lockMail,
  lockRecipient,
  type MailRow,
  markMailRefused,
  updateMail,
} from './mails.queries.ts';

/** Content of the plain-text and the HTML part of a mail. All of it is plain text, and markup in it is escaped. */
export interface MailContent {
  subject: string;
  heading: string;
  paragraphs: string[];
  /** A one-time code, large enough to be read off another device. */
  code?: { value: string; note: string };
  /** Label and amount, as on a receipt; the last row is the sum. */
  receipt?: { label: string; amount: string }[];
  action?: { label: string; url: string; note: string };
}

type Letterhead = { storeName: string; publicUrl: string };

export const renderMail = (content: MailContent, letterhead: Letterhead) => ({
  subject: content.subject,
  text: renderText(content, letterhead),
  html: renderHtml(content, letterhead),
});

function renderText({ heading, paragraphs, code, receipt, action }: MailContent, from: Letterhead): string {
  const parts = [
    heading,
    ...paragraphs,
    ...(code ? [`    ${code.value}`, code.note] : []),
    ...(action ? [`${action.label}:\n${action.url}`, action.note] : []),
    ...(receipt ? [receipt.map(({ label, amount }) => `${label}  ${amount}`).join('\n')] : []),
    `${from.storeName}\n${from.publicUrl}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

// The colours of the shop's dark theme. The light colours are inline, for mail programs that drop style sheets. Text
// and background are set together, so that a program that darkens mails changes both or neither.
const DARK = `@media (prefers-color-scheme: dark) {
  .ground { background: #151e1b !important; color: #e9f1ed !important }
  .soft { background: #16352b !important; color: #8be3c5 !important }
  .button { background: #58d0a9 !important; color: #05241b !important }
  .muted { color: #a0b1a9 !important }
}`;

function renderHtml(content: MailContent, from: Letterhead): string {
  const { subject, heading, paragraphs, code, receipt, action } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${{ markup: DARK }}</style>
</head>
<body class="ground" style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#12211c;background:#ffffff">
<div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">
<h1 style="margin:0;font-size:22px">${heading}</h1>
${paragraphs.map(renderParagraph)}
${code ? renderCode(code) : ''}
${action ? renderAction(action) : ''}
${receipt ? renderReceipt(receipt) : ''}
<p class="muted" style="color:#51615a;font-size:14px">${from.storeName}<br><a class="muted" href="${from.publicUrl}" style="color:#51615a">${from.publicUrl}</a></p>
</div>
</body>
</html>
`.markup;
}

const renderParagraph = (paragraph: string): Markup => html`<p>${inLines(paragraph)}</p>
`;

/** Breaks lines with elements, because mail programs join the lines of an HTML text. */
const inLines = (text: string): Markup[] =>
  text.split('\n').map((line, index) => html`${index > 0 ? html`<br>` : ''}${line}`);

const renderCode = ({ value, note }: NonNullable<MailContent['code']>): Markup => html`
<p style="margin:24px 0"><strong class="soft" style="display:inline-block;padding:12px 20px;border-radius:10px;background:#dcefe7;color:#0a5543;font:bold 28px/1.3 ui-monospace,monospace;letter-spacing:6px">${value}</strong></p>
<p>${note}</p>`;

const renderReceipt = (rows: NonNullable<MailContent['receipt']>): Markup => html`
<table style="border-collapse:collapse">
${rows.map(
  ({ label, amount }, index) => html`<tr style="${index === rows.length - 1 ? 'font-weight:bold' : ''}">
<td style="padding:4px 16px 4px 0;vertical-align:top">${label}</td>
<td style="padding:4px 0;text-align:right;vertical-align:top;white-space:nowrap">${amount}</td>
</tr>`,
)}
</table>`;

const renderAction = ({ label, url, note }: NonNullable<MailContent['action']>): Markup => html`
<p style="margin:24px 0"><a class="button" href="${url}" style="display:inline-block;padding:12px 20px;border-radius:10px;background:#0b6650;color:#ffffff;text-decoration:none">${label}</a></p>
<p>${note}</p>`;

/** The mails about an order to its buyer. The page of the order lists them for administrators. */
export type OrderMailKind =
  | 'order-delivered'
  | 'order-refunded'
  | 'order-refunded-in-part'
  | 'refund-returned'
  | 'order-shipped'
  | 'item-replaced'
  | 'order-email-corrected'
  | 'order-email-left'
  | 'report-answered'
  | 'unit-delivered'
  | 'file-updated';

export type MailKind =
  | OrderMailKind
  // It names no order, because the response must not tell whether there is one.
  | 'order-lookup'
  | 'password-reset'
  | 'password-changed'
  | 'email-change'
  | 'email-changed'
  | 'email-verification'
  | 'email-restored'
  | 'email-change-undone'
  | 'two-factor-enabled'
  | 'two-factor-disabled'
  | 'backup-codes-renewed'
  | 'notices';

// Mails about orders are sent first. Strangers can request some other mails in large numbers, and a new file version is
// announced to all buyers at once.
const priorities: Partial<Record<MailKind, number>> = { 'password-reset': 0, 'order-lookup': 0, 'file-updated': -1 };

/** Stores a mail in the caller's transaction, and returns its id. It is sent only if the transaction commits. */
export async function enqueueMail(
  deps: Pick<Deps, 'jobs' | 'clock'>,
  trx: Transaction,
  mail: {
    id?: string | undefined;
    kind: MailKind;
    recipient: string;
    orderId?: string;
    verificationId?: string | undefined;
    fileId?: string;
    userId: string | null;
  },
): Promise<string> {
  const { id = uuidv7(), kind, recipient, userId: user_id } = mail;
  const { orderId: order_id = null, verificationId: verification_id = null, fileId: file_id = null } = mail;
  const row = { id, kind, recipient, user_id, order_id, verification_id, file_id };
  const written = insertMail(trx, { ...row, created_at: deps.clock.now(), sent_at: null });
  const queued = deps.jobs.enqueue(trx, 'send-mail', { mailId: id }, { priority: priorities[kind] ?? 1 });
  await Promise.all([written, queued]);
  return id;
}

/** Stores a mail about an order to its buyer, under this id if it is given. */
export const enqueueOrderMail = (
  deps: Pick<Deps, 'jobs' | 'clock'>,
  trx: Transaction,
  kind: OrderMailKind,
  { id: orderId, contact_email: recipient, user_id: userId }: Pick<OrderRow, 'id' | 'contact_email' | 'user_id'>,
  id?: string | undefined,
) => enqueueMail(deps, trx, { id, kind, recipient, orderId, userId });

/**
 * Makes the content of each kind of mail, in a transaction that commits before the mail is sent. Only hashes of links
 * and codes are stored. Undefined skips the mail.
 */
export type MailContents = Record<
  MailKind,
  (deps: Pick<Deps, 'clock' | 'config'>, trx: Transaction, mail: MailRow) => Promise<MailContent | undefined>
>;

/** A mail is given up by its age and not by its attempts, because few attempts fit in this time if each hangs. */
const TRIED_FOR_DAYS = 5;

type MailDeps = Pick<Deps, 'db' | 'mail' | 'clock' | 'config' | 'log' | 'metrics'>;

/**
 * Sends one mail of the outbox once. Throws when the job should try again. While the mail server is slow, only the mail
 * itself is locked (docs/decisions/0017-mails-are-sent-after-their-links.md), so that a process that was suspended does
 * not send the mail a second time.
 */
export async function sendMail(deps: MailDeps, contents: MailContents, { mailId }: { mailId: string }): Promise<void> {
  try {
    const outcome = await deps.db.transaction().execute((trx) => sendLocked(deps, contents, trx, mailId));
    if (outcome) deps.metrics.mail(outcome);
  } catch (error) {
    deps.metrics.mail(error instanceof MailRefused ? 'refused' : 'failed');
    if (!(error instanceof MailRefused)) throw error;
    deps.log.error({ mailId, reason: error.message }, 'The mail server rejected a mail permanently; it stays unsent');
    await giveUpMail(deps, mailId);
  }
}

/** Records that a mail was given up, and notifies the owner. No effect on a sent mail. */
export const giveUpMail = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, mailId: string) =>
  db.transaction().execute(async (trx) => {
    const now = clock.now();
    await markMailRefused(trx, mailId, now);
    await insertMailFailure(trx, mailId, now);
  });

/**
 * Returns the id of the mail: if the answer of the mail server is lost, the mail is sent again, and a mailbox shows it
 * once. A mail with a one-time link or code gets a new id each time, because those of an earlier message do not work.
 */
const messageIdOf = (mailId: string, { code, action }: MailContent): string =>
  code || action?.url.includes('?token=') ? uuidv7() : mailId;

/** Returns undefined for a mail that was sent or skipped before, or was deleted with its order (retention). */
async function sendLocked(deps: MailDeps, contents: MailContents, trx: Transaction, mailId: string) {
  const mail = await lockMail(trx, mailId, MAIL_PATIENCE_MS);
  if (!mail && (await hasMail(trx, mailId))) throw new Error(`Mail ${mailId} is being sent by another process`);
  if (!mail) return undefined;
  if (mail.sent_at !== null || mail.recipient === '') return undefined;
  if (!Object.hasOwn(contents, mail.kind)) throw new Error(`Mail ${mailId} is of the unknown kind ${mail.kind}`);
  if (mail.order_id === null) await lockRecipient(trx, mail);
  // In a transaction of its own, because a new link has its user or its order locked until it is committed.
  const makeContent = contents[mail.kind as MailKind];
  const content = await deps.db.transaction().execute((making) => makeContent(deps, making, mail));
  if (content) {
    const { id, recipient: to } = mail;
    const message = { id, messageId: messageIdOf(id, content), to, ...renderMail(content, deps.config) };
    await deps.mail.send(message).catch(async (error: Error) => {
      await deleteLinksOfMail(deps.db, mail.id);
      if (mail.created_at > daysBefore(deps.clock.now(), TRIED_FOR_DAYS)) throw error;
      throw new MailRefused(`Tried for ${TRIED_FOR_DAYS} days: ${error.message}`);
    });
  }
  // Erase the recipient (personal data) of a skipped mail; it stays unsent.
  await updateMail(trx, mail.id, content ? { sent_at: deps.clock.now(), refused_at: null } : { recipient: '' });
  return content ? 'sent' : 'skipped';
}
