import { CompiledQuery, sql } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import { type Limit, rules } from './rules.ts';

export interface SharedCounter {
  per: string;
  max: number;
  seconds: number;
  successCounts: boolean;
  limiter: RateLimiterPostgres;
  /** Counts a use; returns for how many ms it is over the limit, 0 when it is not. */
  use(key: string): Promise<number>;
  giveBack(key: string): Promise<unknown>;
}

/** Of each rule its limits, in their order. */
export type SharedCounters = Record<keyof typeof rules, SharedCounter[]>;

/**
 * Counts in the table `rate_counts`, for all processes together, one statement each time. A window begins with its first
 * use and is timed by the shop's clock: the library knows the machine's only, so its times are shifted on their way.
 */
export function createSharedCounters({ db, clock }: { db: Database; clock: Clock }): SharedCounters {
  const aheadMs = () => clock.now().getTime() - Date.now();
  // What the library knows as a client of node-postgres.
  const storeClient = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const shift = aheadMs();
      const ofTheShop = values.map((value) => (isTime(value) ? value + shift : value));
      const { rows } = await db.executeQuery<{ expire?: unknown }>(CompiledQuery.raw(text, ofTheShop));
      const ofTheMachine = rows.map((row) => ({ ...row, expire: Number(row.expire) - shift }));
      return { rows: ofTheMachine, rowCount: rows.length };
    },
  };
  const counterOf = (rule: string, limit: Limit): SharedCounter => {
    const { per, max, seconds, waitGrows, successCounts = false } = limit;
    const prefix = `${rule}/${seconds}s/${per}`;
    const limiter = new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      tableName: 'rate_counts',
      tableCreated: true,
      // One sweep for the whole table is among the background work.
      clearExpiredByTimeout: false,
      keyPrefix: prefix,
      points: max,
      duration: seconds,
    });
    const window = {
      use: async (key: string) => {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(key);
        return consumedPoints > max ? msBeforeNext : 0;
      },
      giveBack: (key: string) => limiter.reward(key),
    };
    const counting = waitGrows ? createGrowingWait(db, { prefix, max, seconds }) : window;
    return { per, max, seconds, successCounts, limiter, ...counting };
  };
  const counters = Object.entries<readonly Limit[]>(rules).map(([rule, limits]) => [
    rule,
    limits.map((limit) => counterOf(rule, limit)),
  ]);
  return Object.fromEntries(counters) as SharedCounters;
}

/** Among keys and points, which are small: milliseconds since 1970. */
const isTime = (value: unknown): value is number => typeof value === 'number' && value > 1e12;

// Doubled with each further try: 10 s, 20 s, 40 s ... up to a quarter of an hour.
const FIRST_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 15 * 60;
const MAX_DOUBLINGS = Math.ceil(Math.log2(LONGEST_WAIT_SECONDS / FIRST_WAIT_SECONDS));

/**
 * Counts tries in the table `rate_waits`, for all processes together, one statement each time. In a window that begins
 * with its first try `max` are free. After them one is let through each time a wait is over, and every try, refused ones
 * too, makes the next wait twice as long. A window is timed by the machine's own clock.
 */
function createGrowingWait(db: Database, { prefix, max, seconds }: { prefix: string; max: number; seconds: number }) {
  return {
    /** Counts a try; returns how many ms it has to wait, 0 when it may go on. */
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
                ${FIRST_WAIT_SECONDS} * power(2, least(tries - ${max}, ${MAX_DOUBLINGS})), ${LONGEST_WAIT_SECONDS})
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
