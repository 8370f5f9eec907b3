import type { Database } from '../database/open-database.ts';

/** Takes away the counts whose time is over, so that the table stays as small as what goes on now. */
export async function forgetPastCounts(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('rate_counts').where('expire', '<', now.getTime()).execute();
}
