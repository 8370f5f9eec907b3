import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { type SerializedBody, serializeResponse } from './serialized-body.ts';

// Shoppers may see stock, sale prices and reviews that are this old. The database alone decides what is held and
// charged.
const FRESH_FOR_MS = 1_000;
const MAX_RESPONSES = 500;

/** Caches responses that are the same for everybody for a second. Simultaneous requests share one query. */
export function createResponseCache(clock: Clock) {
  const responses = new LRUCache<string, { madeAt: number; body: Promise<SerializedBody> }>({ max: MAX_RESPONSES });

  return (key: string, make: () => Promise<object>): Promise<SerializedBody> => {
    const now = clock.now().getTime();
    const known = responses.get(key);
    if (known && Math.abs(now - known.madeAt) < FRESH_FOR_MS) return known.body;
    const body = make().then(serializeResponse);
    responses.set(key, { madeAt: now, body });
    body.catch(() => responses.delete(key));
    return body;
  };
}
