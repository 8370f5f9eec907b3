import type { Insertable, Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type PendingLogin = Selectable<Tables['pending_logins']>;

/** So long a wrong code counts, at least: for the five minutes of its login, and these after them. */
export const TRIES_COUNT_MS = 15 * 60 * 1_000;

export async function insertPendingLogin(
  trx: Transaction,
  pendingLogin: Insertable<Tables['pending_logins']>,
): Promise<void> {
  await trx.insertInto('pending_logins').values(pendingLogin).execute();
}

/** One that is neither used nor expired. */
export function findPendingLogin(
  db: Database,
  { id, now }: { id: string; now: Date },
): Promise<PendingLogin | undefined> {
  return db
    .selectFrom('pending_logins')
    .selectAll()
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Of a user's logins on one known device, or on all others, those whose wrong codes count; those forgotten first come first. */
export function listTriedLogins(
  trx: Transaction,
  { userId, deviceHash, now }: { userId: string; deviceHash: Buffer | null; now: Date },
): Promise<PendingLogin[]> {
  return trx
    .selectFrom('pending_logins')
    .selectAll()
    .where('user_id', '=', userId)
    .where('device_hash', 'is not distinct from', deviceHash)
    .where('expires_at', '>', new Date(now.getTime() - TRIES_COUNT_MS))
    .where('tries', '>', 0)
    .orderBy('expires_at')
    .execute();
}

export async function countTry(trx: Transaction, id: string): Promise<void> {
  await trx
    .updateTable('pending_logins')
    .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** The code was right: the login is used up, and that try was not a guess. */
export async function closePendingLogin(
  trx: Transaction,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await trx
    .updateTable('pending_logins')
    .set(({ eb }) => ({ used_at: now, tries: eb('tries', '-', 1) }))
    .where('id', '=', id)
    .execute();
}

/** Logins that wait for their second step began with a password, or before a second factor, that no longer counts. */
export async function dropPendingLogins(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom('pending_logins').where('user_id', '=', userId).execute();
}
