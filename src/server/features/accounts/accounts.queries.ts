import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables, UserRow } from '../../platform/database/tables.ts';
import { endVerifications, purposes } from './verifications.queries.ts';

export const findUser = (db: Database, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

export const findUserByEmail = (db: Database, email: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

/** Undefined when the e-mail has an account, even one just being inserted, or is reserved (0010_verifications.sql). */
export const insertUserIfNew = (trx: Database, user: Insertable<Tables['users']>): Promise<UserRow | undefined> =>
  trx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();

/** Sets the first password of an account; undefined when it has one already, or one was taken away from it. */
export function setFirstPassword(db: Database, id: string, password_hash: string): Promise<UserRow | undefined> {
  const setting = db
    .updateTable('users')
    .set({ password_hash })
    .where('id', '=', id)
    .where('password_hash', 'is', null);
  return setting.where('password_changed_at', 'is', null).returningAll().executeTakeFirst();
}

/** The user, locked against other calls of this kind until the transaction ends; new orders may still refer to the row. */
export const lockUser = (trx: Transaction, id: string): Promise<UserRow> =>
  trx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();

export function getGuestOfOrder(db: Database, orderId: string) {
  const guests = db.selectFrom('orders').select(['contact_email', 'guest_name', 'guest_phone']);
  return guests.where('id', '=', orderId).executeTakeFirstOrThrow();
}

/** Gives the paid orders of a verified e-mail, which nobody owns yet, to its account. */
export async function adoptOrders(trx: Transaction, { email, userId }: { email: string; userId: string }) {
  const adopting = trx.updateTable('orders').set({ user_id: userId }).where('contact_email', '=', email);
  await adopting.where('user_id', 'is', null).where('state', '<>', 'pending').execute();
}

export const updateUser = (db: Database, id: string, changes: Updateable<Tables['users']>): Promise<UserRow> =>
  db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Also ends the verifications that were requested under the old password. Null: no password opens the account. */
export async function changePassword(
  trx: Transaction,
  { userId, passwordHash, now }: { userId: string; passwordHash: string | null; now: Date },
): Promise<void> {
  await updateUser(trx, userId, { password_hash: passwordHash, password_changed_at: now });
  await endVerifications(trx, { userId, now });
}

/** The new e-mail that a user asked for, whether or not a link was mailed to it. */
export type EmailChange = Selectable<Tables['email_changes']>;

/** Replaces an earlier change that was not confirmed. */
export const saveEmailChange = (trx: Transaction, change: EmailChange) =>
  trx
    .insertInto('email_changes')
    .values(change)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
    .execute();

/** The change that a user can still confirm. A new password ends it, as it ends the link. */
export const findEmailChange = (db: Database, userId: string, now: Date): Promise<EmailChange | undefined> =>
  db
    .selectFrom('email_changes')
    .innerJoin('users', 'users.id', 'email_changes.user_id')
    .selectAll('email_changes')
    .where('user_id', '=', userId)
    .where('asked_at', '>', new Date(now.getTime() - purposes['email-change'].lifeMs))
    .whereRef('email_changes.email', '<>', 'users.email')
    .where(({ eb, ref }) => eb(eb.fn.coalesce('password_changed_at', eb.val(new Date(0))), '<', ref('asked_at')))
    .executeTakeFirst();

/** Whether the user still wants the address: the change was neither cancelled nor replaced. */
export async function isEmailWanted(db: Database, user_id: string, email: string): Promise<boolean> {
  const changes = db.selectFrom('email_changes').select('user_id');
  return (await changes.where('user_id', '=', user_id).where('email', '=', email).executeTakeFirst()) !== undefined;
}

export const deleteEmailChange = (trx: Transaction, userId: string) =>
  trx.deleteFrom('email_changes').where('user_id', '=', userId).execute();
