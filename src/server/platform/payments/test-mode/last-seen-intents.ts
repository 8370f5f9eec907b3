import type { TestModeIntentRow } from '../../database/test-mode-tables.ts';
import { keepNewest } from '../../keep-newest.ts';

/** Intents as this process read or wrote them last; another process may have changed them since. */
export interface LastSeenIntents {
  keep(intent: TestModeIntentRow): void;
  /** Gives it out once: whoever fails with it must read. */
  take(id: string): TestModeIntentRow | undefined;
}

const MOST = 200;

export function createLastSeenIntents(): LastSeenIntents {
  const intents = new Map<string, TestModeIntentRow>();
  return {
    keep: (intent) => keepNewest(intents, intent.id, intent, MOST),
    take: (id) => {
      const intent = intents.get(id);
      intents.delete(id);
      return intent;
    },
  };
}
