import type { Deps } from '../../deps.ts';
import type { AuditRow } from '../../platform/database/tables.ts';
import { listEntriesAfter } from './audit.queries.ts';
import { chainedText } from './write-audit.ts';

const BATCH = 1_000;

export interface AuditLogState {
  /** How many entries, from the first on, are as they were written. */
  whole: number;
  /** The last of them. */
  newest: AuditRow | undefined;
  /** The first one that was changed, or before which one was taken out or put in. */
  broken: AuditRow | undefined;
  /** How many whole entries follow the one of the remembered hash; undefined when that one is not there. */
  sinceRemembered: number | undefined;
}

/**
 * Follows the chain of the audit log from its first entry. Entries cut off at its end leave a whole chain, so only whoever
 * remembers a hash (hex), which may be of any entry, can tell that its entry is still there.
 */
export async function verifyAuditLog(
  { db, cipher }: Pick<Deps, 'db' | 'cipher'>,
  remembered?: string,
): Promise<AuditLogState> {
  const state: AuditLogState = {
    whole: 0,
    newest: undefined,
    broken: undefined,
    sinceRemembered: undefined,
  };
  for (;;) {
    const entries = await listEntriesAfter(db, state.newest?.id ?? '0', BATCH);
    for (const entry of entries) {
      const previous = state.newest?.hash ?? Buffer.alloc(0);
      if (!cipher.chain(previous, chainedText(entry)).equals(entry.hash)) return { ...state, broken: entry };
      state.whole += 1;
      state.newest = entry;
      if (state.sinceRemembered !== undefined) state.sinceRemembered += 1;
      if (entry.hash.toString('hex') === remembered) state.sinceRemembered = 0;
    }
    if (entries.length < BATCH) return state;
  }
}
