import { sql } from 'kysely';
import { type Database, firstRowOf, rowOf } from '../database/open-database.ts';

/** A limit's counter: its key in `rate_counts` or `rate_waits`, and the length of its window, which begins with the first use. */
type Counter = { key: string; seconds: number };

/** A use that was counted, and the end of its window, in ms since 1970. */
type CountedUse = { key: string; endsAtMs: number };

/** Counts uses for all processes together; resolves to the uses of this window and the end of the window, in ms since 1970. */
export async function countUses(db: Database, { key, seconds, uses, now }: Counter & { uses: number; now: Date }) {
  const nowMs = now.getTime();
  const row = await rowOf<CountRow>(db)`
    INSERT INTO rate_counts AS counted (key, points, expire) VALUES (${key}, ${uses}, ${nowMs + seconds * 1_000})
    ON CONFLICT (key) DO UPDATE SET
      points = excluded.points + CASE WHEN counted.expire > ${nowMs} THEN counted.points ELSE 0 END,
      expire = CASE WHEN counted.expire > ${nowMs} THEN counted.expire ELSE excluded.expire END
    RETURNING points, expire`;
  return presentUses(row);
}

type CountRow = { points: number; expire: string };

const presentUses = ({ points, expire }: CountRow) => ({ uses: points, endsAtMs: Number(expire) });

/** Returns the uses and the end of the current window without counting; undefined when nothing was counted in it. */
export async function findUses(db: Database, { key, now }: { key: string; now: Date }) {
  const row = await firstRowOf<CountRow>(db)`
    SELECT points, expire FROM rate_counts WHERE key = ${key} AND expire > ${now.getTime()}`;
  return row && presentUses(row);
}

/** Takes back one or more uses, unless the window in which they were counted has ended. */
export const takeBackUse = (db: Database, { key, endsAtMs, uses = 1 }: CountedUse & { uses?: number }) =>
  sql`
    UPDATE rate_counts SET points = greatest(points - ${uses}, 0)
    WHERE key = ${key} AND expire = ${endsAtMs}`.execute(db);

// Doubled by each further try: 10 s, 20 s, 40 s ... up to a quarter of an hour.
const FIRST_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 15 * 60;
const MAX_DOUBLINGS = Math.ceil(Math.log2(LONGEST_WAIT_SECONDS / FIRST_WAIT_SECONDS));

/**
 * Counts a try. Resolves to the milliseconds to wait (0 if the try is allowed) and the end of the window. After the
 * first `max` tries of a window, a try is allowed only after a wait; every try, even a rejected one, doubles the next
 * wait.
 */
export async function countTry(db: Database, { key, seconds, max, now }: Counter & { max: number; now: Date }) {
  const endsAt = new Date(now.getTime() + seconds * 1_000);
  const { allowed, open_at, expires_at } = await rowOf<{ allowed: boolean; open_at: Date; expires_at: Date }>(db)`
    INSERT INTO rate_waits AS counted (key, tries, allowed, open_at, expires_at)
    VALUES (${key}, 1, true, ${now}, ${endsAt})
    ON CONFLICT (key) DO UPDATE SET (tries, allowed, open_at, expires_at) = (
      SELECT tries, tries <= ${max} OR counted.open_at <= ${now},
        CASE WHEN tries < ${max} THEN ${now}::timestamptz
          ELSE ${now}::timestamptz + interval '1 second' * least(
            ${FIRST_WAIT_SECONDS} * power(2, least(tries - ${max}, ${MAX_DOUBLINGS})), ${LONGEST_WAIT_SECONDS})
        END,
        expires_at
      FROM (SELECT
        CASE WHEN counted.expires_at <= ${now} THEN 1 ELSE counted.tries + 1 END AS tries,
        CASE WHEN counted.expires_at <= ${now} THEN ${endsAt}::timestamptz ELSE counted.expires_at END AS expires_at
      ) AS next
    )
    RETURNING allowed, open_at, expires_at`;
  const endsAtMs = expires_at.getTime();
  return { waitMs: allowed ? 0 : Math.min(open_at.getTime(), endsAtMs) - now.getTime(), endsAtMs };
}

/**
 * Takes a try back, unless the window in which it was counted has ended. The next try is then allowed at once, because
 * this try was allowed and so had already waited.
 */
export const takeBackTry = (db: Database, { key, endsAtMs, now }: CountedUse & { now: Date }) =>
  sql`
    UPDATE rate_waits SET tries = tries - 1, open_at = ${now}
    WHERE key = ${key} AND expires_at = ${new Date(endsAtMs)} AND tries > 0`.execute(db);
