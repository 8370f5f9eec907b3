import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';

export async function isEventFinished(db: Database, id: string): Promise<boolean> {
  return (
    (await db.selectFrom('webhook_events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  );
}

/**
 * Notes that an event was acted on. The note may be lost when PostgreSQL crashes in the same instant, so the commit
 * need not wait for the disk: acting on an event again changes nothing, the note only saves the work.
 */
export async function rememberFinishedEvent(
  db: Database,
  event: { id: string; type: string; at: Date },
): Promise<void> {
  await sql`
    WITH relaxed AS (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO webhook_events (id, type, finished_at) SELECT ${event.id}, ${event.type}, ${event.at} FROM relaxed
    ON CONFLICT (id) DO NOTHING`.execute(db);
}
