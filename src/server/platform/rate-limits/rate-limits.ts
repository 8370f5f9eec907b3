import type { FastifyBaseLogger } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import { networkOf } from '../http/ip-address.ts';
import { createSharedCounters, type SharedCounter, type SharedCounters } from './counters.queries.ts';
import { type KeysOf, type RequestRule, type Rule, rules } from './rules.ts';

/** The limits of rules.ts. What is refused throws RATE_LIMITED with the seconds after which it is allowed again. */
export interface RateLimits {
  /** Counts one use; throws when that is one too many. */
  count<R extends Rule>(rule: R, keys: KeysOf<R>): Promise<void>;
  /**
   * Counts a use that must not fail too often, such as checking a password, before it begins, so that many at once do
   * not slip through, and takes it back when it succeeds, unless the rule counts successes, or the shop itself was in the
   * way. It fails by throwing an AppError, which is thrown on, or by answering false.
   */
  countFailures<R extends Rule, T>(rule: R, keys: KeysOf<R>, attempt: () => Promise<T>): Promise<T>;
  /** Throws when nothing is left; counts nothing. */
  assertLeft<R extends Rule>(rule: R, keys: KeysOf<R>): Promise<void>;
  /** Counts one request of an endpoint, without waiting for the database (createRequestLimits). */
  countRequest<R extends RequestRule>(rule: R, keys: KeysOf<R>): Promise<void>;
}

export function createRateLimits(options: { db: Database; log: FastifyBaseLogger; clock: Clock }): RateLimits {
  const counters = createSharedCounters(options);
  const countRequest = createRequestLimits(counters, options.log);

  const count: RateLimits['count'] = async (rule, keys) => {
    for (const { use, per } of counters[rule]) {
      const waitMs = await use(keyOf(keys, per));
      if (waitMs > 0) throw tooManyRequests(waitMs);
    }
  };

  return {
    count,

    async countFailures(rule, keys, attempt) {
      await count(rule, keys);
      const takeBack = (counted: SharedCounter[]) =>
        Promise.all(counted.map(({ giveBack, per }) => giveBack(keyOf(keys, per))));
      let answer: Awaited<ReturnType<typeof attempt>>;
      try {
        answer = await attempt();
      } catch (error) {
        const failed = error instanceof AppError && error.code !== 'BUSY';
        if (!failed) await takeBack(counters[rule]);
        throw error;
      }
      if (answer !== false) await takeBack(counters[rule].filter(({ successCounts }) => !successCounts));
      return answer;
    },

    async assertLeft(rule, keys) {
      for (const { limiter, per, max } of counters[rule]) {
        const used = await limiter.get(keyOf(keys, per));
        if (used && used.consumedPoints >= max) throw tooManyRequests(used.msBeforeNext);
      }
    },

    countRequest: (rule, keys) => countRequest(rule, keyOf(keys, rules[rule][0].per)),
  };
}

/** For RATE_LIMITS=off. */
export const noRateLimits: RateLimits = {
  count: async () => undefined,
  countFailures: (_rule, _keys, attempt) => attempt(),
  assertLeft: async () => undefined,
  countRequest: async () => undefined,
};

function keyOf(keys: Partial<Record<string, string>>, per: string): string {
  if (per === 'account at address') return `${keys['account']} ${networkOf(keys['address'] ?? '')}`;
  const key = keys[per] ?? '';
  return per === 'address' ? networkOf(key) : key;
}

// Browsing costs no round trip to the database; 300 requests cost ten.
const BLOCK = 30;

/**
 * Counts requests in memory, and every full block of 30 also in the database, which tells when all processes together
 * have passed the limit. So one process is exact, and several let at most 30 requests too many through for each of
 * them, besides what arrives while a block is on its way. Without the database each goes on by its own count.
 */
function createRequestLimits(counters: SharedCounters, log: FastifyBaseLogger) {
  const limits = {
    catalogue: openLimit('catalogue'),
    admin: openLimit('admin'),
    'failed-link': openLimit('failed-link'),
  };

  function openLimit(rule: RequestRule) {
    const [shared] = counters[rule];
    if (!shared) throw new Error(`There is no limit for ${rule}`);
    const { max: points, seconds: duration, limiter } = shared;
    return { shared: limiter, local: new RateLimiterMemory({ keyPrefix: rule, points, duration }) };
  }

  async function countBlock(rule: RequestRule, key: string): Promise<void> {
    const { local, shared } = limits[rule];
    try {
      await shared.consume(key, BLOCK);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) await local.block(key, refusal.msBeforeNext / 1000);
      else log.warn({ err: refusal, rule }, 'a limit is counted by each process for itself');
    }
  }

  /** Throws RATE_LIMITED. */
  return async (rule: RequestRule, key: string): Promise<void> => {
    const { local } = limits[rule];
    const used = await local.penalty(key);
    if (used.consumedPoints > local.points) throw tooManyRequests(used.msBeforeNext);
    if (used.consumedPoints % BLOCK === 0) void countBlock(rule, key);
  };
}

export const tooManyRequests = (retryAfterMs: number): AppError =>
  new AppError('RATE_LIMITED', 'Please wait a moment before trying again', undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
