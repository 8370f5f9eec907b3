import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../database/open-database.ts';
import { rules } from './rules.ts';

/** One limit, counted in the table `rate_counts` for all processes together. */
export interface SharedCounter {
  per: string;
  max: number;
  seconds: number;
  limiter: RateLimiterPostgres;
}

/** The counters of a rule. A window begins with its first use and is timed by the machine's own clock. */
export function sharedCounters(db: Database, rule: keyof typeof rules): SharedCounter[] {
  // What the library knows as a client of node-postgres.
  const storeClient = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values));
      return { rows, rowCount: rows.length };
    },
  };
  return rules[rule].map(({ per, max, seconds }) => ({
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
  }));
}
