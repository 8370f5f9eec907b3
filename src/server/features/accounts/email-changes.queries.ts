import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type EmailChange = Selectable<Tables['email_changes']>;

/** How long the link works that is mailed to a new address. */
export const EMAIL_CHANGE_HOURS = 24;

const expiredAt = (now: Date) => new Date(now.getTime() - EMAIL_CHANGE_HOURS * 60 * 60 * 1_000);

/** Takes the place of an earlier change that was not confirmed. */
export async function saveEmailChange(trx: Transaction, change: EmailChange): Promise<void> {
  await trx
    .insertInto('email_changes')
    .values(change)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ email: change.email, asked_at: change.asked_at }),
    )
    .execute();
}

/** The change that a user can still confirm. A new password ends it, as it ends the link. */
export function findEmailChange(
  db: Database,
  { userId, now }: { userId: string; now: Date },
): Promise<EmailChange | undefined> {
  return db
    .selectFrom('email_changes')
    .innerJoin('users', 'users.id', 'email_changes.user_id')
    .selectAll('email_changes')
    .where('user_id', '=', userId)
    .where('asked_at', '>', expiredAt(now))
    .whereRef('email_changes.email', '<>', 'users.email')
    .where((eb) =>
      eb.or([
        eb('users.password_changed_at', 'is', null),
        eb('users.password_changed_at', '<', eb.ref('email_changes.asked_at')),
      ]),
    )
    .executeTakeFirst();
}

/** Whether the user still wants the address: the change was neither cancelled nor replaced. */
export async function isEmailWanted(
  db: Database,
  { userId, email }: { userId: string; email: string },
): Promise<boolean> {
  const change = await db
    .selectFrom('email_changes')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('email', '=', email)
    .executeTakeFirst();
  return change !== undefined;
}

export async function deleteEmailChange(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom('email_changes').where('user_id', '=', userId).execute();
}
