import { AppError } from '../../shared/errors.ts';

/** Limits how many pieces of expensive work run at once. `holder` identifies a caller who may use the reserved places. */
type Limiter = <T>(work: () => Promise<T>, holder?: string) => Promise<T>;

type Waiting = { start: () => void; holder: string | undefined };

// A holder's further simultaneous calls wait with all others.
const RESERVED_PER_HOLDER = 2;
/** Holders can make any number of calls, and calls without a holder would wait for ever behind them. */
const HOLDERS_IN_A_ROW = 3;

/**
 * Creates a limiter that runs at most `concurrent` pieces of work at once and lets `maxWaiting` more wait. Any further
 * call throws BUSY at once, because its caller would give up before the result. `reserved` more places are only for
 * calls with a holder, which also start first, three of four times.
 */
export function createLimiter(concurrent: number, maxWaiting: number, reserved = 0): Limiter {
  const strangers: Waiting[] = [];
  const holders: Waiting[] = [];
  let running = 0;
  let holdersInARow = 0;

  function queueFor(holder: string | undefined): Waiting[] {
    const own = holders.filter((waiting) => waiting.holder === holder).length;
    if (holder !== undefined && own < RESERVED_PER_HOLDER && holders.length < reserved) return holders;
    if (strangers.length < maxWaiting) return strangers;
    throw new AppError('BUSY', 'Please wait a moment before trying again');
  }

  function takeNext(): Waiting | undefined {
    const isHoldersTurn = holders.length > 0 && (holdersInARow < HOLDERS_IN_A_ROW || strangers.length === 0);
    holdersInARow = isHoldersTurn ? holdersInARow + 1 : 0;
    return (isHoldersTurn ? holders : strangers).shift();
  }

  return async (work, holder) => {
    if (running < concurrent) running += 1;
    else {
      const queue = queueFor(holder);
      await new Promise<void>((start) => queue.push({ start, holder }));
    }
    try {
      return await work();
    } finally {
      const next = takeNext();
      // The next call takes this place, so the count stays.
      if (next) next.start();
      else running -= 1;
    }
  };
}

/** Creates a limiter that also limits each key, so that the calls of one key do not keep those of others waiting. */
export function createFairLimiter({ inAll, ofKey }: { inAll: number; ofKey: number }, maxWaiting: number) {
  const limited = createLimiter(inAll, maxWaiting);
  const limitedByKey = createKeyedLimiter(ofKey, maxWaiting);
  return <T>(key: string, work: () => Promise<T>): Promise<T> => limitedByKey(key, () => limited(work));
}

/** Creates a limiter for each key that has work. `createLimiter` tells the meaning of the numbers. */
export function createKeyedLimiter(concurrent: number, maxWaiting: number) {
  const limiters = new Map<string, { limited: Limiter; calls: number }>();

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const own = limiters.get(key) ?? { limited: createLimiter(concurrent, maxWaiting), calls: 0 };
    limiters.set(key, own);
    own.calls += 1;
    try {
      return await own.limited(work);
    } finally {
      own.calls -= 1;
      if (own.calls === 0) limiters.delete(key);
    }
  };
}
