import { AppError } from '../../shared/errors.ts';

/** Pieces of expensive work, a few at a time. `holder` names a caller who has a right to the reserved places. */
export type Limiter = <T>(work: () => Promise<T>, holder?: string) => Promise<T>;

interface Waiting {
  start: () => void;
  holder: string | undefined;
}

// A holder who calls more often at once waits with everybody else.
const RESERVED_PER_HOLDER = 2;

/**
 * Runs at most `concurrent` pieces of expensive work at once. `maxWaiting` more wait for their turn; beyond a short queue
 * a refusal at once is better than an answer after the caller has gone, so the rest throws AppError BUSY. `reserved` further
 * places are for named holders. These go first, so that strangers who fill their own places cannot keep holders out.
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
      // The next one takes over this place, so the count stays.
      if (next) next.start();
      else running -= 1;
    }
  };
}
