import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { type Database, firstRowOf, hasRow, type Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow, Tables, UserRow } from '../../platform/database/tables.ts';
import { endVerifications, purposes } from './verifications.queries.ts';

export const findUser = (db: Database, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

export const findUserByEmail = (db: Database, email: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

/**
 * Inserts a user. Returns undefined when the e-mail has an account, even an uncommitted one, or is reserved
 * (0010_verifications.sql).
 */
export const insertUserIfNew = (trx: Database, user: Insertable<Tables['users']>) => firstRowOf<UserRow>(trx)`
  ${trx.insertInto('users').values(user)} ON CONFLICT (email) DO NOTHING RETURNING *`;

/** Returns the user, locked until the transaction ends (FOR NO KEY UPDATE: new orders may still refer to the row). */
export const lockUser = (trx: Transaction, id: string): Promise<UserRow> =>
  trx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();

export const getOrderOfGuest = (db: Database, id: string): Promise<OrderRow> =>
  db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Assigns the orders of a verified e-mail that have no owner, except pending ones, to its account. */
export const adoptOrders = (trx: Transaction, { email, userId }: { email: string; userId: string }) =>
  sql`
    UPDATE orders SET user_id = ${userId}
    WHERE contact_email = ${email} AND user_id IS NULL AND state <> 'pending'`.execute(trx);

export const updateUser = (db: Database, id: string, changes: Updateable<Tables['users']>): Promise<UserRow> =>
  db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Sets the password, or removes it with null. Ends the verifications that a new password ends. */
export async function changePassword(
  trx: Transaction,
  { userId, passwordHash, now }: { userId: string; passwordHash: string | null; now: Date },
): Promise<void> {
  await updateUser(trx, userId, { password_hash: passwordHash, password_changed_at: now });
  await endVerifications(trx, { userId, now });
}

/** The new e-mail that a user asked for, whether or not a link was mailed to it. */
export type EmailChange = Selectable<Tables['email_changes']>;

export const saveEmailChange = (trx: Transaction, change: EmailChange) =>
  sql`
    ${trx.insertInto('email_changes').values(change)}
    ON CONFLICT (user_id) DO UPDATE SET email = excluded.email, asked_at = excluded.asked_at`.execute(trx);

/** Returns the pending change of e-mail of a user. A new password ends the change, as it ends the mailed link. */
export const findEmailChange = (db: Database, userId: string, now: Date) => firstRowOf<EmailChange>(db)`
  SELECT email_changes.* FROM email_changes JOIN users ON users.id = user_id
  WHERE user_id = ${userId} AND asked_at > ${new Date(now.getTime() - purposes['email-change'].lifeMs)}
    AND email_changes.email <> users.email AND (password_changed_at IS NULL OR password_changed_at < asked_at)`;

/** Whether the user still wants the address: the change was neither cancelled nor replaced. */
export const isEmailWanted = (db: Database, userId: string, email: string) =>
  hasRow(db)`SELECT FROM email_changes WHERE user_id = ${userId} AND email = ${email}`;

export const deleteEmailChange = (trx: Transaction, userId: string) =>
  trx.deleteFrom('email_changes').where('user_id', '=', userId).execute();
