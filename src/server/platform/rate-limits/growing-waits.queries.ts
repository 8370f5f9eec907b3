import { sql } from 'kysely';
import type { Database } from '../database/open-database.ts';

// Doubled with each further try: 10 s, 20 s, 40 s ... up to a quarter of an hour.
const FIRST_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 15 * 60;
const MOST_DOUBLINGS = Math.ceil(Math.log2(LONGEST_WAIT_SECONDS / FIRST_WAIT_SECONDS));

/**
 * Counts tries in the table `rate_waits`, for all processes together, one statement each time. In a window that begins
 * with its first try `max` are free. After them one is let through each time a wait is over, and every try, refused ones
 * too, makes the next wait twice as long. A window is timed by the machine's own clock.
 */
export function createGrowingWait(
  db: Database,
  { prefix, max, seconds }: { prefix: string; max: number; seconds: number },
) {
  return {
    /** Counts a try; answers how many ms it has to wait, 0 when it may go on. */
    async use(key: string): Promise<number> {
      const now = new Date();
      const endsAt = new Date(now.getTime() + seconds * 1_000);
      const { rows } = await sql<{ allowed: boolean; open_at: Date; expires_at: Date }>`
        INSERT INTO rate_waits AS counted (key, tries, allowed, open_at, expires_at)
        VALUES (${`${prefix}:${key}`}, 1, true, ${now}, ${endsAt})
        ON CONFLICT (key) DO UPDATE SET (tries, allowed, open_at, expires_at) = (
          SELECT tries, tries <= ${max} OR counted.open_at <= ${now},
            CASE WHEN tries < ${max} THEN ${now}::timestamptz
              ELSE ${now}::timestamptz + interval '1 second' * least(
                ${FIRST_WAIT_SECONDS} * power(2, least(tries - ${max}, ${MOST_DOUBLINGS})), ${LONGEST_WAIT_SECONDS})
            END,
            expires_at
          FROM (SELECT
            CASE WHEN counted.expires_at <= ${now} THEN 1 ELSE counted.tries + 1 END AS tries,
            CASE WHEN counted.expires_at <= ${now} THEN ${endsAt}::timestamptz ELSE counted.expires_at END AS expires_at
          ) AS next
        )
        RETURNING allowed, open_at, expires_at`.execute(db);
      const [row] = rows;
      if (!row || row.allowed) return 0;
      return Math.min(row.open_at.getTime(), row.expires_at.getTime()) - now.getTime();
    },

    /** Takes a try back. */
    async giveBack(key: string): Promise<void> {
      await sql`
        UPDATE rate_waits SET tries = tries - 1, open_at = ${new Date()} WHERE key = ${`${prefix}:${key}`} AND tries > 0
      `.execute(db);
    },
  };
}
