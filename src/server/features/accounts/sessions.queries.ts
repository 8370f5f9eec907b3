import { type Insertable, type Selectable, sql } from 'kysely';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { type Database, firstRowOf, hasRow, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';

export type SessionRow = Selectable<Tables['sessions']>;
const SEEN_EVERY_MS = 5 * MINUTE_MS;

/** A browser in which `userId` has signed in, as its cookie claims; findDevice checks the token. */
export type Device = { userId: string; token: string };
export const DEVICE_MS = 365 * DAY_MS;

/** Stores a session and its device, for another year if known. One statement, because guests who pay wait for it. */
export async function insertSession(trx: Transaction, session: Insertable<Tables['sessions']>, device: Device) {
  const row = deviceRow(device, session.created_at);
  await sql`
    WITH device AS (
      ${trx.insertInto('devices').values(row)} ON CONFLICT (token_hash) DO UPDATE SET expires_at = excluded.expires_at
    )
    ${trx.insertInto('sessions').values({ ...session, device_hash: row.token_hash })}`.execute(trx);
}

export const findLiveSession = (db: Database, sessionId: string, userId: string, now: Date) =>
  firstRowOf<Omit<Viewer, 'userId' | 'sessionId'>>(db)`
    SELECT role, email, name, phone, authenticated_at AS "authenticatedAt"
    FROM sessions JOIN users ON users.id = user_id
    WHERE sessions.id = ${sessionId} AND user_id = ${userId}
      AND revoked_at IS NULL AND expires_at > ${now} AND blocked_at IS NULL`;

const MAX_LISTED = 200;

/** Lists the sessions that were used last. A user may have any number of them. */
export const listLiveSessions = (db: Database, userId: string, now: Date) => rowsOf<SessionRow>(db)`
  SELECT * FROM sessions WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}
  ORDER BY last_seen_at DESC, created_at DESC LIMIT ${MAX_LISTED}`;

export const getSession = (db: Database, id: string): Promise<SessionRow> =>
  db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

export async function markSessionSeen(db: Database, id: string, now: Date): Promise<void> {
  const session = db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id);
  await session.where('last_seen_at', '<=', new Date(now.getTime() - SEEN_EVERY_MS)).execute();
}

export const markAuthenticated = (db: Database, id: string, now: Date) =>
  db.updateTable('sessions').set({ authenticated_at: now }).where('id', '=', id).execute();

/** Whether the last proof of identity in a session was the latest change of its user's password. */
export const hasChangedPassword = (db: Database, id: string) => hasRow(db)`
  SELECT FROM sessions JOIN users ON users.id = user_id
  WHERE sessions.id = ${id} AND authenticated_at = password_changed_at`;

/** Ends a session and deletes its device, unless the session `keep` uses it. False without such a live session. */
export const revokeOwnSession = (
  db: Database,
  { id, userId, keep, now }: { id: string; userId: string; keep: string; now: Date },
) => hasRow(db)`
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

/** Returns the hash of a device's token if a user with that e-mail signed in on the device and it has not expired. */
export async function findDevice(db: Database, { device, email, now }: { device: Device; email: string; now: Date }) {
  const known = await firstRowOf<{ token_hash: Buffer }>(db)`
    SELECT token_hash FROM devices JOIN users ON users.id = user_id
    WHERE user_id = ${device.userId} AND email = ${email} AND token_hash = ${hashToken(device.token)}
      AND expires_at > ${now}`;
  return known?.token_hash;
}

export const insertDevice = (db: Database, device: Device, now: Date) =>
  db.insertInto('devices').values(deviceRow(device, now)).execute();

const deviceRow = ({ userId, token }: Device, now: Date) => ({
  token_hash: hashToken(token),
  user_id: userId,
  created_at: now,
  expires_at: new Date(now.getTime() + DEVICE_MS),
});
