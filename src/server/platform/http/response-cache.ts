import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { type SerializedBody, serializeResponse } from './serialized-body.ts';

// Shoppers may see stock, sale prices and reviews that are this old. The database alone decides what is held and
// charged.
const FRESH_FOR_MS = 1_000;
const MAX_RESPONSES = 500;
// A list can be megabytes, and each category, sort, search and page makes another. Buffers are outside the heap, so the
// limit of the heap does not bound them.
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
 * Caches up to `max` bodies, and 32 MiB of them. A body is used again while `isFresh` holds for what it was made of.
 * Whoever waits for a body gets it, also if it is not kept.
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
