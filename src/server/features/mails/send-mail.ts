import { v7 as uuidv7 } from 'uuid';
import { daysBefore } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { MAIL_PATIENCE_MS, MailRefused } from '../../platform/mail/mail-transport.ts';
import { insertMailFailure } from '../notices/notices.queries.ts';
import { type MailContent, renderMail } from './mail-layout.ts';
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

export type MailKind =
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
  | 'file-updated'
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
  kind: MailKind,
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
    const message = { id: mail.id, to: mail.recipient, ...renderMail(content, deps.config) };
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
