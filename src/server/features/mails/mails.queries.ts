import type { Insertable, Selectable } from 'kysely';
import { HOUR_MS } from '../../../shared/durations.ts';
import {
  type Database,
  firstRowOf,
  hasRow,
  isWithinLast,
  lockName,
  rowOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type MailRow = Selectable<Tables['mails']>;

export const insertMail = (trx: Transaction, mail: Insertable<Tables['mails']>) =>
  trx.insertInto('mails').values(mail).execute();

/**
 * Locks and returns a mail; undefined when it is missing, or locked by another process. The transaction may then be
 * idle for `patienceMs`, because the mail server may be slow.
 */
export const lockMail = (trx: Transaction, id: string, patienceMs: number) => firstRowOf<MailRow>(trx)`
  SELECT *, set_config('idle_in_transaction_session_timeout', ${String(patienceMs)}, true) FROM mails
  WHERE id = ${id} FOR UPDATE SKIP LOCKED`;

export const findStoredMail = (db: Database, id: string): Promise<MailRow | undefined> =>
  db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();

/** Whether the mail exists, even if another process has locked it. */
export const hasMail = (trx: Transaction, id: string) => hasRow(trx)`SELECT FROM mails WHERE id = ${id}`;

export const updateMail = (
  trx: Transaction,
  id: string,
  changes: Partial<Pick<MailRow, 'sent_at' | 'refused_at' | 'recipient'>>,
) => trx.updateTable('mails').set(changes).where('id', '=', id).execute();

/** Deletes the links of a mail that was not sent. Must hold no other lock, as a user is locked before their links. */
export const deleteLinksOfMail = (db: Database, mailId: string) =>
  db.deleteFrom('verifications').where('mail_id', '=', mailId).execute();

export const markMailRefused = (trx: Transaction, id: string, now: Date) =>
  trx.updateTable('mails').set({ refused_at: now }).where('id', '=', id).where('sent_at', 'is', null).execute();

/** Locks a kind of mail to a recipient until the mail is sent, so that of two concurrent mails the second counts the first. */
export const lockRecipient = (trx: Transaction, { kind, recipient }: MailRow) => lockName(trx, `${kind} ${recipient}`);

/** Counts mails of one kind sent in the last hour, to a recipient and for a user. The mail job has locked the recipient. */
export const countMailsSent = (trx: Transaction, { kind, recipient, user_id }: MailRow, now: Date) =>
  rowOf<{ toRecipient: number; forUser: number }>(trx)`
    SELECT count(*) FILTER (WHERE recipient = ${recipient})::integer AS "toRecipient",
      count(*) FILTER (WHERE user_id = ${user_id})::integer AS "forUser"
    FROM mails WHERE kind = ${kind} AND order_id IS NULL
      AND ${isWithinLast(HOUR_MS, { column: 'sent_at', now })}`;
