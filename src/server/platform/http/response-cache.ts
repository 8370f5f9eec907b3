import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { type SerializedBody, serializeResponse } from './serialized-body.ts';

// Stock, sale prices and reviews may be this old on the screen. What is held and charged is decided by the database.
const FRESH_FOR_MS = 1_000;
const MAX_RESPONSES = 500;
// A list can have megabytes, and every combination of category, sort, search and page is another list. Buffers are
// outside of the heap, so the heap limit does not bound them.
const MAX_BYTES = 32 * 2 ** 20;

/** Caches responses that are the same for everybody for a second. Simultaneous requests share one query. */
export function createResponseCache(clock: Clock) {
  const cached = createBodyCache<number>(MAX_RESPONSES);

  return (key: string, make: () => Promise<object>): Promise<SerializedBody> => {
    const now = clock.now().getTime();
    const isFresh = (madeAt: number) => Math.abs(now - madeAt) < FRESH_FOR_MS;
    return cached({ key, madeOf: now, isFresh }, () => make().then(serializeResponse));
  };
}

/**
 * Caches up to `max` bodies with 32 MiB in total. A body is reused while `isFresh` is true for the data that it was
 * made of. Callers that wait for a body get it even if it is not cached.
 */
export function createBodyCache<MadeOf>(max: number) {
  const bodies = new LRUCache<string, { madeOf: MadeOf; body: Promise<SerializedBody> }>({ max, maxSize: MAX_BYTES });

  return (
    { key, madeOf, isFresh }: { key: string; madeOf: MadeOf; isFresh: (earlier: MadeOf) => boolean },
    make: () => Promise<SerializedBody>,
  ): Promise<SerializedBody> => {
    const known = bodies.get(key);
    if (known && isFresh(known.madeOf)) return known.body;
    const pending = { madeOf, body: make() };
    bodies.set(key, pending, { size: 1 });
    const isKept = () => bodies.peek(key) === pending;
    pending.body.then(
      // A new object: lru-cache ignores the size when the value is identical.
      ({ identity, gzipped }) =>
        isKept() && bodies.set(key, { ...pending }, { size: identity.length + gzipped.length }),
      () => isKept() && bodies.delete(key),
    );
    return pending.body;
  };
}
