import { AppError } from '../../shared/errors.ts';

/** Limits how many pieces of expensive work run at once. `holder` identifies a caller who may use the reserved places. */
type Limiter = <T>(work: () => Promise<T>, holder?: string) => Promise<T>;

type Waiting = { start: () => void; holder: string | undefined };

// A holder's further simultaneous calls wait with all others.
const RESERVED_PER_HOLDER = 2;

/**
 * Creates a limiter that runs at most `concurrent` pieces of work at once and lets `maxWaiting` more wait. Any further
 * call throws BUSY at once, because its caller would give up before the result. `reserved` more places are only for
 * calls with a holder, which also start first.
 */
export function createLimiter(concurrent: number, maxWaiting: number, reserved = 0): Limiter {
  const strangers: Waiting[] = [];
  const holders: Waiting[] = [];
  let running = 0;

  function queueFor(holder: string | undefined): Waiting[] {
    const own = holders.filter((waiting) => waiting.holder === holder).length;
    if (holder !== undefined && own < RESERVED_PER_HOLDER && holders.length < reserved) return holders;
    if (strangers.length < maxWaiting) return strangers;
    throw new AppError('BUSY', 'Please wait a moment before trying again');
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
      const next = holders.shift() ?? strangers.shift();
      // The next call takes this place, so the count stays.
      if (next) next.start();
      else running -= 1;
    }
  };
}
