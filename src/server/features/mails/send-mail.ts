import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { MAIL_PATIENCE_MS, MailRefused } from '../../platform/mail/mail-transport.ts';
import { type MailContent, renderMail } from './mail-layout.ts';
import { forgetRecipient, insertMail, lockMail, type MailRow, markMailSent } from './mails.queries.ts';

/** Every mail the shop sends. */
export type MailKind =
  | 'order-delivered'
  | 'order-refunded'
  | 'order-refunded-in-part'
  | 'order-shipped'
  | 'item-replaced'
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
  | 'backup-codes-renewed';

/** Writes the mail down in the caller's transaction: it is sent if that commits, and never otherwise. */
export async function enqueueMail(
  deps: Pick<Deps, 'jobs' | 'clock'>,
  trx: Transaction,
  mail: {
    kind: MailKind;
    recipient: string;
    orderId?: string;
    verificationId?: string | undefined;
    userId: string | null;
  },
): Promise<void> {
  const id = uuidv7();
  const written = insertMail(trx, {
    id,
    kind: mail.kind,
    recipient: mail.recipient,
    order_id: mail.orderId ?? null,
    verification_id: mail.verificationId ?? null,
    user_id: mail.userId,
    created_at: deps.clock.now(),
    sent_at: null,
  });
  await Promise.all([written, deps.jobs.enqueue(trx, 'send-mail', { mailId: id })]);
}

/**
 * What each kind of mail says: told by the feature whose matter it is, when the mail is sent and in the transaction that
 * marks it sent. A link or code that the mail carries is made there too, so that only its hash is ever stored. Undefined
 * when there turns out to be nothing to say: then nothing is sent.
 */
export type MailContents = Record<
  MailKind,
  (deps: Pick<Deps, 'clock' | 'config'>, trx: Transaction, mail: MailRow) => Promise<MailContent | undefined>
>;

type MailDeps = Pick<Deps, 'db' | 'mail' | 'clock' | 'config' | 'log'>;

/**
 * Renders and sends one mail of the outbox, once, however often it is called. Throws when it should be tried again.
 * The row stays locked meanwhile, so that a process that was suspended in the middle does not send beside its successor.
 */
export async function sendMail(deps: MailDeps, contents: MailContents, { mailId }: { mailId: string }): Promise<void> {
  try {
    await deps.db.transaction().execute((trx) => sendLocked(deps, contents, trx, mailId));
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    deps.log.error({ mailId, reason: error.message }, 'A mail was refused for good and stays unsent');
  }
}

async function sendLocked(deps: MailDeps, contents: MailContents, trx: Transaction, mailId: string): Promise<void> {
  const mail = await lockMail(trx, { id: mailId, patienceMs: MAIL_PATIENCE_MS });
  if (!mail) throw new Error(`Mail ${mailId} is being sent by another process`);
  if (mail.sent_at !== null || mail.recipient === '') return;
  if (!isKnown(contents, mail.kind)) throw new Error(`Mail ${mailId} is of the unknown kind ${mail.kind}`);
  const content = await contents[mail.kind](deps, trx, mail);
  if (!content) return forgetRecipient(trx, mail.id);
  await deps.mail.send({ id: mail.id, to: mail.recipient, ...renderMail(content, deps.config) });
  await markMailSent(trx, { id: mail.id, now: deps.clock.now() });
}

const isKnown = (contents: MailContents, kind: string): kind is MailKind => Object.hasOwn(contents, kind);
