import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { type SerializedBody, serializeAnswer } from './serialized-body.ts';

// A shopper may see stock, sale prices and reviews this late; what is held and charged is always decided by the database.
const FRESH_FOR_MS = 1_000;
const MAX_ANSWERS = 500;

/** Keeps answers that are the same for everybody for a second; shoppers who ask at once share one query. */
export function createAnswerCache(clock: Clock) {
  const answers = new LRUCache<string, { madeAt: number; body: Promise<SerializedBody> }>({ max: MAX_ANSWERS });

  return (key: string, make: () => Promise<object>): Promise<SerializedBody> => {
    const now = clock.now().getTime();
    const known = answers.get(key);
    if (known && Math.abs(now - known.madeAt) < FRESH_FOR_MS) return known.body;
    const body = make().then(serializeAnswer);
    answers.set(key, { madeAt: now, body });
    body.catch(() => answers.delete(key));
    return body;
  };
}
