import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { MAIL_PATIENCE_MS, MailRefused } from '../../platform/mail/mail-transport.ts';
import type { MailKind } from './enqueue-mail.ts';
import type { MailContents } from './mail-contents.ts';
import { renderMail } from './mail-layout.ts';
import { forgetRecipient, lockMail, markMailSent } from './mails.queries.ts';

type MailDeps = Pick<Deps, 'db' | 'mail' | 'clock' | 'config' | 'log'>;

/**
 * Renders and sends one mail of the outbox, once, however often it is called. Throws when it should be tried again.
 * The row stays locked meanwhile, so that a process that was suspended in the middle does not send beside its successor.
 */
export async function sendMail(
  deps: MailDeps,
  contents: MailContents,
  { mailId }: { mailId: string },
): Promise<void> {
  try {
    await deps.db.transaction().execute((trx) => sendLocked(deps, contents, trx, mailId));
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    deps.log.error({ mailId, reason: error.message }, 'A mail was refused for good and stays unsent');
  }
}

async function sendLocked(
  deps: MailDeps,
  contents: MailContents,
  trx: Transaction,
  mailId: string,
): Promise<void> {
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
