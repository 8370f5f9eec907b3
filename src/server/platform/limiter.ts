import { AppError } from '../../shared/errors.ts';

/**
 * Lets only `concurrent` pieces of expensive work run at once and `maxWaiting` more wait for their turn, which keeps the
 * shop answering: beyond a short queue saying no at once is kinder than an answer after the caller has gone.
 * Throws AppError BUSY then.
 */
export function createLimiter(
  concurrent: number,
  maxWaiting: number,
): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < concurrent) running += 1;
    else if (waiting.length >= maxWaiting)
      throw new AppError('BUSY', 'Please wait a moment before trying again');
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next one takes over this place, so the count stays.
      if (next) next();
      else running -= 1;
    }
  };
}
