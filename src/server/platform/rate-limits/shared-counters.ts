import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../database/open-database.ts';
import { createGrowingWait } from './growing-waits.queries.ts';
import { type Limit, rules } from './rules.ts';

export interface SharedCounter {
  per: string;
  max: number;
  seconds: number;
  successCounts: boolean;
  limiter: RateLimiterPostgres;
  /** Counts a use; answers for how many ms it is one too many, 0 when it is not. */
  use(key: string): Promise<number>;
  giveBack(key: string): Promise<unknown>;
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
