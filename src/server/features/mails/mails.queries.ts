import { type Insertable, type Selectable, sql } from 'kysely';
import { type Database, rowOf, type Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type MailRow = Selectable<Tables['mails']>;

export const insertMail = (trx: Transaction, mail: Insertable<Tables['mails']>) =>
  trx.insertInto('mails').values(mail).execute();

/**
 * Locks and returns a mail; undefined when it is missing, or locked by another process. The transaction may then be
 * idle for `patienceMs`, because the mail server may be slow.
 */
export const lockMail = (trx: Transaction, id: string, patienceMs: number): Promise<MailRow | undefined> =>
  trx
    .selectFrom('mails')
    .selectAll()
    .select(sql`set_config('idle_in_transaction_session_timeout', ${String(patienceMs)}, true)`.as('patience'))
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();

export const findMail = (db: Database, id: string) =>
  db.selectFrom('mails').select('id').where('id', '=', id).executeTakeFirst();

export const updateMail = (trx: Transaction, id: string, changes: Partial<Pick<MailRow, 'sent_at' | 'recipient'>>) =>
  trx.updateTable('mails').set(changes).where('id', '=', id).execute();

/** Counts sent mails of one kind to the same recipient or user. Locks the recipient: concurrent mails wait. */
export async function countMailsSent(trx: Transaction, mail: MailRow, since: Date): Promise<number> {
  const { kind, recipient, user_id } = mail;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${kind} ${recipient}`}, 0))`.execute(trx);
  const { sent } = await rowOf<{ sent: number }>(trx)`
    SELECT count(*)::integer AS sent FROM mails
    WHERE kind = ${kind} AND order_id IS NULL AND sent_at > ${since}
      AND (recipient = ${recipient} OR user_id = ${user_id})`;
  return sent;
}
