import { type Insertable, type Selectable, sql } from 'kysely';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type MailRow = Selectable<Tables['mails']>;

export async function insertMail(trx: Transaction, mail: Insertable<Tables['mails']>): Promise<void> {
  await trx.insertInto('mails').values(mail).execute();
}

/**
 * The mail, locked until the transaction ends; undefined while another process has it. The transaction may then wait
 * `patienceMs` for a slow mail server, longer than the database lets others sit idle.
 */
export function lockMail(
  trx: Transaction,
  { id, patienceMs }: { id: string; patienceMs: number },
): Promise<MailRow | undefined> {
  return trx
    .selectFrom('mails')
    .selectAll()
    .select(sql`set_config('idle_in_transaction_session_timeout', ${String(patienceMs)}, true)`.as('patience'))
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function markMailSent(trx: Transaction, { id, now }: { id: string; now: Date }): Promise<void> {
  await trx.updateTable('mails').set({ sent_at: now }).where('id', '=', id).execute();
}

/** For a mail that turned out to have nothing to say: it stays unsent, and nobody is named by it. */
export async function forgetRecipient(trx: Transaction, id: string): Promise<void> {
  await trx.updateTable('mails').set({ recipient: '' }).where('id', '=', id).execute();
}

/**
 * How many mails of a kind, not about orders, went to a recipient or at a user's wish since a moment. Until the
 * transaction ends, nobody else may ask this for the recipient, so that two mails at once count each other.
 */
export async function countMailsSent(
  trx: Transaction,
  { kind, recipient, userId, since }: { kind: string; recipient: string; userId: string | null; since: Date },
): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${kind} ${recipient}`}, 0))`.execute(trx);
  const { sent } = await trx
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<string>().as('sent'))
    .where('kind', '=', kind)
    .where('order_id', 'is', null)
    .where('sent_at', '>', since)
    .where(({ eb, or }) => or([eb('recipient', '=', recipient), eb('user_id', '=', userId)]))
    .executeTakeFirstOrThrow();
  return Number(sent);
}
