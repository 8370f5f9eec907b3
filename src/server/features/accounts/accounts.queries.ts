import type { Insertable, Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow, Tables, UserRow } from '../../platform/database/tables.ts';
import { endVerifications, purposes } from './verifications.queries.ts';

export function findUser(db: Database, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/**
 * Undefined when the e-mail already has an account, even one that another transaction is just inserting, or is reserved for
 * one (triggers of 0010_verifications.sql).
 */
export function insertUserIfNew(trx: Database, user: Insertable<Tables['users']>): Promise<UserRow | undefined> {
  return trx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Sets the first password of an account; undefined when it has one already, or one was taken away from it. */
export function setFirstPassword(
  db: Database,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<UserRow | undefined> {
  return db
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .where('password_hash', 'is', null)
    .where('password_changed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** The user, locked against other calls of this kind until the transaction ends; new orders may still refer to the row. */
export function lockUser(trx: Transaction, id: string): Promise<UserRow> {
  return trx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

export type GuestOfOrder = Pick<OrderRow, 'contact_email' | 'guest_name' | 'guest_phone'>;

export function getGuestOfOrder(db: Database, orderId: string): Promise<GuestOfOrder> {
  return db
    .selectFrom('orders')
    .select(['contact_email', 'guest_name', 'guest_phone'])
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow();
}

/** Gives the paid orders of a verified e-mail, which nobody owns yet, to its account. */
export async function adoptOrders(trx: Transaction, { email, userId }: { email: string; userId: string }) {
  await trx
    .updateTable('orders')
    .set({ user_id: userId })
    .where('contact_email', '=', email)
    .where('user_id', 'is', null)
    .where('state', '<>', 'pending')
    .execute();
}

export type Details = Pick<UserRow, 'name' | 'phone' | 'street' | 'city' | 'state' | 'zip_code' | 'country'>;

export function saveDetails(db: Database, userId: string, details: Details): Promise<UserRow> {
  return db.updateTable('users').set(details).where('id', '=', userId).returningAll().executeTakeFirstOrThrow();
}

/** Also ends the verifications that were requested under the old password. Null: no password opens the account. */
export async function changePassword(
  trx: Transaction,
  { userId, passwordHash, now }: { userId: string; passwordHash: string | null; now: Date },
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ password_hash: passwordHash, password_changed_at: now })
    .where('id', '=', userId)
    .execute();
  await endVerifications(trx, { userId, now });
}

/** Fails on the unique e-mail when it is another account's, or reserved for one. */
export function setProvenEmail(
  trx: Transaction,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<UserRow> {
  return trx
    .updateTable('users')
    .set({ email, email_verified_at: now })
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The new e-mail that a user asked for, whether or not a link could be mailed to it. */
export type EmailChange = Selectable<Tables['email_changes']>;

/** Replaces an earlier change that was not confirmed. */
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
    .where('asked_at', '>', new Date(now.getTime() - purposes['email-change'].lifeMs))
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
