import { type Insertable, type Selectable, sql } from 'kysely';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { type Database, rowsOf } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { DEVICE_MS, type Device } from './device-cookie.ts';

export type SessionRow = Selectable<Tables['sessions']>;
const SEEN_EVERY_MS = 5 * 60 * 1_000;

/** Also remembers the session's device, for another year if it was known; one statement, as guests who pay wait for it. */
export async function insertSession(
  db: Database,
  session: Omit<Insertable<Tables['sessions']>, 'device_hash'>,
  device: Device,
): Promise<void> {
  const row = deviceRow(device, session.created_at);
  const { expires_at } = row;
  await db
    .with('device', (query) =>
      query
        .insertInto('devices')
        .values(row)
        .onConflict((conflict) => conflict.column('token_hash').doUpdateSet({ expires_at })),
    )
    .insertInto('sessions')
    .values({ ...session, device_hash: row.token_hash })
    .execute();
}

export const findLiveSession = (db: Database, sessionId: string, userId: string, now: Date) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['role', 'email', 'name', 'phone', 'authenticated_at as authenticatedAt'])
    .where('sessions.id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('blocked_at', 'is', null)
    .executeTakeFirst();

/** The latest first. */
export function listLiveSessions(db: Database, userId: string, now: Date): Promise<SessionRow[]> {
  const sessions = db.selectFrom('sessions').selectAll().where('user_id', '=', userId);
  const live = sessions.where('revoked_at', 'is', null).where('expires_at', '>', now);
  return live.orderBy('last_seen_at', 'desc').orderBy('created_at', 'desc').execute();
}

export const getSession = (db: Database, id: string): Promise<SessionRow> =>
  db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Writes at most every five minutes. */
export async function markSessionSeen(db: Database, id: string, now: Date): Promise<void> {
  const session = db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id);
  await session.where('last_seen_at', '<=', new Date(now.getTime() - SEEN_EVERY_MS)).execute();
}

export const markAuthenticated = (db: Database, id: string, now: Date) =>
  db.updateTable('sessions').set({ authenticated_at: now }).where('id', '=', id).execute();

/** Also forgets the session's device, unless the session `keep` is on it. False when the user has no such live session. */
export async function revokeOwnSession(
  db: Database,
  { id, userId, keep, now }: { id: string; userId: string; keep: string; now: Date },
): Promise<boolean> {
  const rows = await rowsOf(db)`
    WITH ended AS (
      UPDATE sessions SET revoked_at = ${now}
      WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}
      RETURNING device_hash
    ),
    forgotten AS (
      DELETE FROM devices USING ended WHERE token_hash = ended.device_hash
        AND token_hash IS DISTINCT FROM (SELECT device_hash FROM sessions WHERE id = ${keep})
    )
    SELECT FROM ended`;
  return rows.length > 0;
}

export async function revokeSession(db: Database, id: string, now: Date): Promise<void> {
  const session = db.updateTable('sessions').set({ revoked_at: now }).where('id', '=', id);
  await session.where('revoked_at', 'is', null).execute();
}

/** Ends every session of a user, and forgets every device, except the session `keep` and its device. */
export const revokeSessions = (
  db: Database,
  { userId, keep, now }: { userId: string; keep?: string | undefined; now: Date },
) =>
  sql`
    WITH kept AS (SELECT id, device_hash FROM sessions WHERE id = ${keep ?? null}),
    forgotten AS (
      DELETE FROM devices WHERE user_id = ${userId} AND token_hash IS DISTINCT FROM (SELECT device_hash FROM kept)
    )
    UPDATE sessions SET revoked_at = ${now}
    WHERE user_id = ${userId} AND revoked_at IS NULL AND id IS DISTINCT FROM (SELECT id FROM kept)`.execute(db);

/** The hash of a device's token, if a user with that e-mail has signed in on the device and it was not forgotten since. */
export async function findDevice(db: Database, { device, email, now }: { device: Device; email: string; now: Date }) {
  const devices = db.selectFrom('devices').innerJoin('users', 'users.id', 'devices.user_id').select('token_hash');
  const ofUser = devices.where('users.id', '=', device.userId).where('users.email', '=', email);
  const known = ofUser.where('token_hash', '=', hashToken(device.token)).where('expires_at', '>', now);
  return (await known.executeTakeFirst())?.token_hash;
}

export const insertDevice = (db: Database, device: Device, now: Date) =>
  db.insertInto('devices').values(deviceRow(device, now)).execute();

const deviceRow = ({ userId, token }: Device, now: Date) => ({
  token_hash: hashToken(token),
  user_id: userId,
  created_at: now,
  expires_at: new Date(now.getTime() + DEVICE_MS),
});
