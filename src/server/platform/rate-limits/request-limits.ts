import type { FastifyBaseLogger } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RequestRule } from './rules.ts';
import type { SharedCounters } from './shared-counters.ts';
import { tooManyRequests } from './too-many-requests.ts';

// So that a shopper who looks around never costs a round trip, and 300 requests cost ten.
const BLOCK = 30;

/**
 * Counts requests in memory, and every full block of 30 also in the database, which tells when all processes together
 * have passed the limit. So one process is exact, and several let at most 30 requests too many through for each of
 * them, besides what arrives while a block is on its way. Without the database each goes on by its own count.
 */
export function createRequestLimits(counters: SharedCounters, log: FastifyBaseLogger) {
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
