import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../shared/errors.ts';
import { type Database, firstRowOf, latestPast, rowOf } from '../database/database.ts';
import type { Clock } from '../database/database-clock.ts';
import { networkOf, wideNetworkOf } from '../http/client.ts';
import { type KeysOf, type Limit, type RequestRule, type Rule, rules } from './rules.ts';

/** A limit's counter: its key in `rate_counts` or `rate_waits`, and the length of its window, which begins with the first use. */
type Counter = { key: string; seconds: number };

/**
 * Returns the latest end of a running window, in ms since 1970. A later end is of a window that began while the clock
 * was ahead: it is over, or would last as much longer (latestPast).
 */
const latestEndMs = ({ seconds, now }: { seconds: number; now: Date }): number =>
  latestPast(now).getTime() + seconds * 1_000;

/** Whether the window of a row of `rate_counts` is running. */
const windowRuns = (expire: 'counted.expire' | 'expire', { seconds, now }: { seconds: number; now: Date }) =>
  sql`${sql.ref(expire)} > ${now.getTime()} AND ${sql.ref(expire)} <= ${latestEndMs({ seconds, now })}`;

/** A use that was counted, and the end of its window, in ms since 1970. */
type CountedUse = { key: string; endsAtMs: number };

/** Counts uses for all processes together; resolves to the uses of this window and the end of the window, in ms since 1970. */
async function countUses(db: Database, { key, seconds, uses, now }: Counter & { uses: number; now: Date }) {
  const nowMs = now.getTime();
  const isCounted = windowRuns('counted.expire', { seconds, now });
  const row = await rowOf<CountRow>(db)`
    INSERT INTO rate_counts AS counted (key, points, expire) VALUES (${key}, ${uses}, ${nowMs + seconds * 1_000})
    ON CONFLICT (key) DO UPDATE SET
      points = excluded.points + CASE WHEN ${isCounted} THEN counted.points ELSE 0 END,
      expire = CASE WHEN ${isCounted} THEN counted.expire ELSE excluded.expire END
    RETURNING points, expire`;
  return presentUses(row);
}

type CountRow = { points: number; expire: string };

const presentUses = ({ points, expire }: CountRow) => ({ uses: points, endsAtMs: Number(expire) });

/** Returns the uses and the end of the current window without counting; undefined when nothing was counted in it. */
async function findUses(db: Database, { key, seconds, now }: Counter & { now: Date }) {
  const row = await firstRowOf<CountRow>(db)`
    SELECT points, expire FROM rate_counts WHERE key = ${key} AND ${windowRuns('expire', { seconds, now })}`;
  return row && presentUses(row);
}

/** Takes back one or more uses, unless the window in which they were counted has ended. */
const takeBackUse = (db: Database, { key, endsAtMs, uses = 1 }: CountedUse & { uses?: number }) =>
  sql`
    UPDATE rate_counts SET points = greatest(points - ${uses}, 0)
    WHERE key = ${key} AND expire = ${endsAtMs}`.execute(db);

// Doubled by each further try: 10 s, 20 s, 40 s ... up to a quarter of an hour.
const FIRST_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 15 * 60;
const MAX_DOUBLINGS = Math.ceil(Math.log2(LONGEST_WAIT_SECONDS / FIRST_WAIT_SECONDS));

/**
 * Counts a try. Resolves to the milliseconds to wait (0 if allowed) and the end of the window. After the first `max`
 * tries of a window, a try needs a wait; every try, even a rejected one, doubles the next wait.
 */
async function countTry(db: Database, { key, seconds, max, now }: Counter & { max: number; now: Date }) {
  const endsAt = new Date(now.getTime() + seconds * 1_000);
  const isOver = sql`counted.expires_at <= ${now} OR counted.expires_at > ${new Date(latestEndMs({ seconds, now }))}`;
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
        CASE WHEN ${isOver} THEN 1 ELSE counted.tries + 1 END AS tries,
        CASE WHEN ${isOver} THEN ${endsAt}::timestamptz ELSE counted.expires_at END AS expires_at
      ) AS next
    )
    RETURNING allowed, open_at, expires_at`;
  const endsAtMs = expires_at.getTime();
  return { waitMs: allowed ? 0 : Math.min(open_at.getTime(), endsAtMs) - now.getTime(), endsAtMs };
}

/** Takes a try back, unless its window has ended. The next try is allowed at once: this one had already waited. */
const takeBackTry = (db: Database, { key, endsAtMs, now }: CountedUse & { now: Date }) =>
  sql`
    UPDATE rate_waits SET tries = tries - 1, open_at = ${now}
    WHERE key = ${key} AND expires_at = ${new Date(endsAtMs)} AND tries > 0`.execute(db);

/** The limits of rules.ts. A rejected use throws RATE_LIMITED with the seconds after which the next one is allowed. */
export interface RateLimits {
  /** Counts one use, or `uses` at once. Throws when the limit is exceeded. */
  count<R extends Rule>(rule: R, keys: KeysOf<R>, uses?: number): Promise<void>;
  /** Takes back up to `uses` uses of the current window. */
  takeBack<R extends Rule>(rule: R, keys: KeysOf<R>, uses: number): Promise<void>;
  /**
   * Limits how often an attempt may fail. A failure is an AppError other than BUSY, or a result of false. The attempt
   * is counted before it begins, so that concurrent attempts count. The use is taken back after any other error, and
   * after a success or a failure that the limit does not count.
   */
  countFailures<R extends Rule, T>(rule: R, keys: KeysOf<R>, attempt: () => Promise<T>): Promise<T>;
  /** Throws when no use is left; counts nothing. Does not see limits with `waitGrows`. */
  assertLeft<R extends Rule>(rule: R, keys: KeysOf<R>): Promise<void>;
  /** Counts one request of an endpoint, without waiting for the database. */
  countRequest<R extends RequestRule>(rule: R, keys: KeysOf<R>): Promise<void>;
}

// Requests are counted in the database by 30: ordinary browsing costs no round trip, and 300 requests cost ten.
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

  /** Counts a use of each limit. If a limit rejects it, takes the use back from those before that are `isTakenBack`. */
  async function countEach(limits: KeyedLimit[], { uses = 1, isTakenBack = never } = {}): Promise<CountedLimit[]> {
    const counted: CountedLimit[] = [];
    for (const limit of limits) {
      const { waitMs, endsAtMs } = await countOne(limit, uses);
      if (waitMs > 0) {
        await takeBackEach(counted.filter(isTakenBack));
        throw tooManyRequests(waitMs);
      }
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
      await countEach(limitsOf(rule, keys), { uses });
    },

    async takeBack(rule, keys, uses) {
      for (const { key, seconds } of limitsOf(rule, keys)) {
        const counted = await findUses(db, { key, seconds, now: clock.now() });
        if (counted) await takeBackUse(db, { key, endsAtMs: counted.endsAtMs, uses });
      }
    },

    async countFailures(rule, keys, attempt) {
      // An attempt that a later limit rejects has not failed.
      const limits = await countEach(limitsOf(rule, keys), { isTakenBack: isFreeToSucceed });
      let result: Awaited<ReturnType<typeof attempt>>;
      try {
        result = await attempt();
      } catch (error) {
        const failed = error instanceof AppError && error.code !== 'BUSY';
        await takeBackEach(failed ? limits.filter(isFreeToFail) : limits);
        throw error;
      }
      await takeBackEach(limits.filter(result === false ? isFreeToFail : isFreeToSucceed));
      return result;
    },

    async assertLeft(rule, keys) {
      const now = clock.now();
      for (const { key, seconds, max } of limitsOf(rule, keys)) {
        const counted = await findUses(db, { key, seconds, now });
        if (counted && counted.uses >= max) throw tooManyRequests(counted.endsAtMs - now.getTime());
      }
    },

    /**
     * Counts in memory, and adds every full block to the count in the database, which covers all processes. So each
     * process may allow up to one block too many. Without the database, each process uses its own count.
     */
    async countRequest(rule, keys) {
      for (const limit of limitsOf(rule, keys)) {
        const now = clock.now();
        const nowMs = now.getTime();
        const known = requests.get(limit.key);
        const isRunning = known && known.endsAtMs > nowMs && known.endsAtMs <= latestEndMs({ ...limit, now });
        const counted = isRunning ? known : { uses: 0, endsAtMs: nowMs + limit.seconds * 1_000 };
        if (counted.uses >= limit.max) throw tooManyRequests(counted.endsAtMs - nowMs);
        counted.uses += 1;
        requests.set(limit.key, counted);
        if (counted.uses % BLOCK === 0) void countBlock(limit, rule);
      }
    },
  };
}

export const noRateLimits: RateLimits = {
  count: async () => undefined,
  takeBack: async () => undefined,
  countFailures: (_rule, _keys, attempt) => attempt(),
  assertLeft: async () => undefined,
  countRequest: async () => undefined,
};

const never = (_: Limit): boolean => false;
const isFreeToSucceed = ({ counts }: Limit): boolean => counts === undefined;
const isFreeToFail = ({ counts }: Limit): boolean => counts === 'successes';

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
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
  });
