import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Clock } from '../clock.ts';
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
