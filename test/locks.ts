import { sql } from 'kysely';
import type { Database } from '../src/server/platform/database/open-database.ts';

/** Counts the sessions that wait for a lock, only in this database: the tests' databases share a server. */
export async function countWaiting(db: Database): Promise<number> {
  const { rows } = await sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}
