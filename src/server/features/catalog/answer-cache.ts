import type { Clock } from '../../platform/clock.ts';
import { type SerializedBody, serializeAnswer } from '../../platform/http/serialized-body.ts';
import { keepNewest } from '../../platform/keep-newest.ts';

// A shopper may see stock and sale prices this late; what is held and charged is always decided by the database.
const FRESH_FOR_MS = 1_000;
const MAX_ANSWERS = 500;

export interface AnswerCache {
  get(key: string, make: () => Promise<object>): Promise<SerializedBody>;
}

/** Answers that are the same for everybody, kept for a second; shoppers who ask at once wait for one making. */
export function createAnswerCache(clock: Clock): AnswerCache {
  const answers = new Map<string, { madeAt: number; body: Promise<SerializedBody> }>();

  return {
    get(key, make) {
      const now = clock.now().getTime();
      const known = answers.get(key);
      if (known && Math.abs(now - known.madeAt) < FRESH_FOR_MS) return known.body;
      const body = make().then(serializeAnswer);
      keepNewest(answers, key, { madeAt: now, body }, MAX_ANSWERS);
      body.catch(() => answers.delete(key));
      return body;
    },
  };
}
