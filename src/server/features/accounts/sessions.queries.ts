import type { Selectable } from 'kysely';
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

/** False when the user has no such live session. */
export async function revokeOwnSession(
  db: Database,
  { id, userId, now }: { id: string; userId: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends every session of a user but the one that is kept; all, when none is. */
export async function revokeSessions(
  db: Database,
  { userId, keep, now }: { userId: string; keep?: string | undefined; now: Date },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(keep !== undefined, (query) => query.where('id', '<>', keep ?? ''))
    .execute();
}
