import type { Insertable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables, UserRow } from '../../platform/database/tables.ts';
import type { Device } from './device-cookie.ts';
import { deviceRow } from './devices.queries.ts';
import { endVerifications } from './verifications.queries.ts';

export function findUser(db: Database, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

/**
 * Undefined when the e-mail already has an account, also one that another transaction is just making, or is reserved for
 * one (triggers of 0010_verifications.sql).
 */
export function insertUserIfNew(
  trx: Database,
  user: Insertable<Tables['users']>,
): Promise<UserRow | undefined> {
  return trx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Sets the first password of an account; undefined when somebody was first, or a password was taken away from it. */
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

/** The user, whom no other call of this kind changes until the transaction ends; orders may go on being given to them. */
export function lockUser(trx: Transaction, id: string): Promise<UserRow> {
  return trx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** Locks the user's row against deletion and a change of its e-mail, as a reference to it does, and against nothing else. */
export async function keepUser(trx: Transaction, id: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', id).forKeyShare().execute();
}

export type Details = Pick<UserRow, 'name' | 'phone' | 'street' | 'city' | 'state' | 'zip_code' | 'country'>;

export function saveDetails(db: Database, userId: string, details: Details): Promise<UserRow> {
  return db
    .updateTable('users')
    .set(details)
    .where('id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
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

/** Fails on the unique address when it is another account's, or reserved for one. */
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

/** Also remembers the session's device, for as long again if it was known; one statement, as guests who pay wait for it. */
export async function insertSession(
  db: Database,
  session: Omit<Insertable<Tables['sessions']>, 'device_hash'>,
  device: Device,
): Promise<void> {
  const row = deviceRow(device, session.created_at);
  await db
    .with('device', (query) =>
      query
        .insertInto('devices')
        .values(row)
        .onConflict((conflict) => conflict.column('token_hash').doUpdateSet({ expires_at: row.expires_at })),
    )
    .insertInto('sessions')
    .values({ ...session, device_hash: row.token_hash })
    .execute();
}

/** The live session with what its user is at this moment. */
export function findLiveSession(
  db: Database,
  { sessionId, userId, now }: { sessionId: string; userId: string; now: Date },
): Promise<(Pick<UserRow, 'role' | 'email' | 'name' | 'phone'> & { authenticatedAt: Date }) | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.role', 'users.email', 'users.name', 'users.phone'])
    .select('sessions.authenticated_at as authenticatedAt')
    .where('sessions.id', '=', sessionId)
    .where('sessions.user_id', '=', userId)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', now)
    .where('users.blocked_at', 'is', null)
    .executeTakeFirst();
}

export async function revokeSession(db: Database, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .execute();
}
