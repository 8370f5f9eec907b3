import { type Selectable, sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type SessionRow = Selectable<Tables['sessions']>;

const SEEN_EVERY_MS = 5 * 60 * 1_000;

/** The latest first. */
export function listLiveSessions(
  db: Database,
  { userId, now }: { userId: string; now: Date },
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .orderBy('created_at', 'desc')
    .execute();
}

export function getSession(db: Database, id: string): Promise<SessionRow> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Writes at most every five minutes, however often somebody is seen. */
export async function markSeen(db: Database, { id, now }: { id: string; now: Date }): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_seen_at: now })
    .where('id', '=', id)
    .where('last_seen_at', '<=', new Date(now.getTime() - SEEN_EVERY_MS))
    .execute();
}

/** Password or code was proven in the session. */
export async function markAuthenticated(
  db: Database,
  { sessionId, now }: { sessionId: string; now: Date },
): Promise<void> {
  await db.updateTable('sessions').set({ authenticated_at: now }).where('id', '=', sessionId).execute();
}

/** Also forgets the session's device, unless `keep` is on the same one. False when the user has no such live session. */
export async function revokeOwnSession(
  db: Database,
  { id, userId, keep, now }: { id: string; userId: string; keep: string; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    WITH ended AS (
      UPDATE sessions SET revoked_at = ${now}
      WHERE id = ${id} AND user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${now}
      RETURNING device_hash
    ),
    forgotten AS (
      DELETE FROM devices USING ended WHERE token_hash = ended.device_hash
        AND token_hash IS DISTINCT FROM (SELECT device_hash FROM sessions WHERE id = ${keep})
    )
    SELECT FROM ended`.execute(db);
  return rows.length > 0;
}

/** Ends every session of a user but the one that is kept, and forgets every device but that session's; all, when none is. */
export async function revokeSessions(
  db: Database,
  { userId, keep, now }: { userId: string; keep?: string | undefined; now: Date },
): Promise<void> {
  const kept = sql<Buffer | null>`(SELECT device_hash FROM sessions WHERE id = ${keep ?? null})`;
  await db
    .with('forgotten', (query) =>
      query.deleteFrom('devices').where('user_id', '=', userId).where('token_hash', 'is distinct from', kept),
    )
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(keep !== undefined, (query) => query.where('id', '<>', keep ?? ''))
    .execute();
}
