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
    .select(
      sql`set_config('idle_in_transaction_session_timeout', ${String(patienceMs)}, true)`.as('patience'),
    )
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function markMailSent(trx: Transaction, { id, now }: { id: string; now: Date }): Promise<void> {
  await trx.updateTable('mails').set({ sent_at: now }).where('id', '=', id).execute();
}
