import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { insertMail } from './mails.queries.ts';

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
