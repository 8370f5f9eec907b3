import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../database/open-database.ts';
import { rules } from './rules.ts';

interface SharedCounter {
  per: string;
  max: number;
  seconds: number;
  limiter: RateLimiterPostgres;
}

/** Of each rule its limits, in their order. */
export type SharedCounters = Record<keyof typeof rules, SharedCounter[]>;

/**
 * Counts in the table `rate_counts`, for all processes together, one statement each time. A window begins with its first
 * use and is timed by the machine's own clock.
 */
export function createSharedCounters(db: Database): SharedCounters {
  // What the library knows as a client of node-postgres.
  const storeClient = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values));
      return { rows, rowCount: rows.length };
    },
  };
  const counters = Object.entries(rules).map(([rule, limits]) => [
    rule,
    limits.map(({ per, max, seconds }) => ({
      per,
      max,
      seconds,
      limiter: new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        tableName: 'rate_counts',
        tableCreated: true,
        // One sweep for the whole table is among the background work.
        clearExpiredByTimeout: false,
        keyPrefix: `${rule}/${seconds}s/${per}`,
        points: max,
        duration: seconds,
      }),
    })),
  ]);
  return Object.fromEntries(counters) as SharedCounters;
}
