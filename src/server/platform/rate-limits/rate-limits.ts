import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import { networkOf, wideNetworkOf } from '../http/client.ts';
import { countTry, countUses, findUses, takeBackTry, takeBackUse } from './counters.queries.ts';
import { type KeysOf, type Limit, type RequestRule, type Rule, rules } from './rules.ts';

/** The limits of rules.ts. A rejected use throws RATE_LIMITED with the seconds after which the next one is allowed. */
export interface RateLimits {
  /** Counts one use, or `uses` at once. Throws when the limit is exceeded. */
  count<R extends Rule>(rule: R, keys: KeysOf<R>, uses?: number): Promise<void>;
  /** Takes back up to `uses` uses of the current window. */
  takeBack<R extends Rule>(rule: R, keys: KeysOf<R>, uses: number): Promise<void>;
  /**
   * Limits how often an attempt may fail. A failure is an AppError other than BUSY, or a result of false. The attempt
   * is counted before it begins, so that concurrent attempts count. The use is taken back after a success (unless
   * successes count) and after any other error.
   */
  countFailures<R extends Rule, T>(rule: R, keys: KeysOf<R>, attempt: () => Promise<T>): Promise<T>;
  /** Throws when no use is left; counts nothing. Does not see limits with `waitGrows`. */
  assertLeft<R extends Rule>(rule: R, keys: KeysOf<R>): Promise<void>;
  /** Counts one request of an endpoint, without waiting for the database. */
  countRequest<R extends RequestRule>(rule: R, keys: KeysOf<R>): Promise<void>;
}

// Requests are counted in the database in blocks of 30: ordinary browsing costs no round trip, and 300 requests cost
// ten.
const BLOCK = 30;
const MAX_COUNTED_IN_MEMORY = 50_000;

export function createRateLimits(options: { db: Database; log: FastifyBaseLogger; clock: Clock }): RateLimits {
  const { db, log, clock } = options;
  const requests = new LRUCache<string, { uses: number; endsAtMs: number }>({ max: MAX_COUNTED_IN_MEMORY });

  async function countOne({ key, seconds, max, waitGrows }: KeyedLimit, added: number) {
    const now = clock.now();
    if (waitGrows) return countTry(db, { key, seconds, max, now });
    const { uses, endsAtMs } = await countUses(db, { key, seconds, uses: added, now });
    return { waitMs: uses > max ? endsAtMs - now.getTime() : 0, endsAtMs };
  }

  async function countEach(limits: KeyedLimit[], uses = 1): Promise<CountedLimit[]> {
    const counted: CountedLimit[] = [];
    for (const limit of limits) {
      const { waitMs, endsAtMs } = await countOne(limit, uses);
      if (waitMs > 0) throw tooManyRequests(waitMs);
      counted.push({ ...limit, endsAtMs });
    }
    return counted;
  }

  const takeBackOne = ({ key, endsAtMs, waitGrows }: CountedLimit) =>
    waitGrows ? takeBackTry(db, { key, endsAtMs, now: clock.now() }) : takeBackUse(db, { key, endsAtMs });
  const takeBackEach = (limits: CountedLimit[]) => Promise.all(limits.map(takeBackOne));

  async function countBlock({ key, seconds, max }: KeyedLimit, rule: RequestRule): Promise<void> {
    try {
      const { uses, endsAtMs } = await countUses(db, { key, seconds, uses: BLOCK, now: clock.now() });
      if (uses > max) requests.set(key, { uses: max, endsAtMs });
    } catch (error) {
      log.warn({ err: error, rule }, 'a limit is counted by each process for itself');
    }
  }

  return {
    async count(rule, keys, uses) {
      await countEach(limitsOf(rule, keys), uses);
    },

    async takeBack(rule, keys, uses) {
      for (const { key } of limitsOf(rule, keys)) {
        const counted = await findUses(db, { key, now: clock.now() });
        if (counted) await takeBackUse(db, { key, endsAtMs: counted.endsAtMs, uses });
      }
    },

    async countFailures(rule, keys, attempt) {
      const limits = await countEach(limitsOf(rule, keys));
      let result: Awaited<ReturnType<typeof attempt>>;
      try {
        result = await attempt();
      } catch (error) {
        const failed = error instanceof AppError && error.code !== 'BUSY';
        if (!failed) await takeBackEach(limits);
        throw error;
      }
      if (result !== false) await takeBackEach(limits.filter(({ successCounts }) => !successCounts));
      return result;
    },

    async assertLeft(rule, keys) {
      const now = clock.now();
      for (const { key, max } of limitsOf(rule, keys)) {
        const counted = await findUses(db, { key, now });
        if (counted && counted.uses >= max) throw tooManyRequests(counted.endsAtMs - now.getTime());
      }
    },

    /**
     * Counts in memory, and adds every full block to the count in the database, which covers all processes. So each
     * process may allow up to one block too many. Without the database, each process uses its own count.
     */
    async countRequest(rule, keys) {
      for (const limit of limitsOf(rule, keys)) {
        const nowMs = clock.now().getTime();
        const known = requests.get(limit.key);
        const counted = known && known.endsAtMs > nowMs ? known : { uses: 0, endsAtMs: nowMs + limit.seconds * 1_000 };
        if (counted.uses >= limit.max) throw tooManyRequests(counted.endsAtMs - nowMs);
        counted.uses += 1;
        requests.set(limit.key, counted);
        if (counted.uses % BLOCK === 0) void countBlock(limit, rule);
      }
    },
  };
}

/** Limits nothing, for RATE_LIMITS=off. */
export const noRateLimits: RateLimits = {
  count: async () => undefined,
  takeBack: async () => undefined,
  countFailures: (_rule, _keys, attempt) => attempt(),
  assertLeft: async () => undefined,
  countRequest: async () => undefined,
};

type KeyedLimit = Limit & { key: string };
/** With the end of the window in which a use was counted. */
type CountedLimit = KeyedLimit & { endsAtMs: number };

function limitsOf(rule: keyof typeof rules, keys: Partial<Record<string, string>>): KeyedLimit[] {
  const { address = '', account } = keys;
  const network = networkOf(address);
  const keyOf = (per: Limit['per']) => {
    if (per === 'address') return network;
    if (per === 'wide network') return wideNetworkOf(address);
    return per === 'account at address' ? `${account} ${network}` : (keys[per] ?? '');
  };
  return rules[rule].flatMap((limit: Limit) => {
    const key = keyOf(limit.per);
    if (limit.per === 'wide network' && key === network) return [];
    return { ...limit, key: `${rule}/${limit.seconds}s/${limit.per}:${key}` };
  });
}

export const tooManyRequests = (retryAfterMs: number): AppError =>
  new AppError('RATE_LIMITED', 'Please wait a moment before trying again', undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
