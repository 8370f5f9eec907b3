import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { AuditRow } from '../../platform/database/tables.ts';
import type { Viewer } from '../../platform/http/client.ts';
import { findLastEntry, insertEntry, listEntriesAfter, lockAuditLog } from './audit-log.queries.ts';

/** Who does something that is put on record; a command has no user. */
export interface Actor {
  userId: string | null;
  name: string;
  ip: string;
}

export const actorOf = (viewer: Viewer, request: FastifyRequest): Actor => ({
  userId: viewer.userId,
  name: viewer.email,
  ip: request.ip,
});

/**
 * Puts on record what an administrator does, in the transaction that does it: neither is there without the other.
 * `summary` is for people and never holds a secret. Call it last: until the transaction ends the log is locked.
 */
export async function writeAudit(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  entry: {
    actor: Actor;
    /** As in `product.updated`. */
    action: string;
    subject: {
      type: 'product' | 'physical-product' | 'item' | 'order' | 'user' | 'image' | 'report' | 'data-key' | 'alert';
      id: string;
    };
    summary: string;
  },
): Promise<void> {
  await lockAuditLog(trx);
  const row = {
    at: deps.clock.now(),
    user_id: entry.actor.userId,
    actor: entry.actor.name,
    ip: entry.actor.ip,
    action: entry.action,
    subject_type: entry.subject.type,
    subject_id: entry.subject.id,
    summary: entry.summary,
  };
  const previous = (await findLastEntry(trx))?.hash ?? Buffer.alloc(0);
  await insertEntry(trx, { ...row, hash: deps.cipher.chain(previous, chainedText(row)) });
}

/** What the hash of an entry covers, written the same way whenever it is checked. */
const chainedText = (row: Omit<AuditRow, 'id' | 'hash'>): string =>
  JSON.stringify([
    row.at.toISOString(),
    row.user_id,
    row.actor,
    row.ip,
    row.action,
    row.subject_type,
    row.subject_id,
    row.summary,
  ]);

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
  const state: AuditLogState = { whole: 0, newest: undefined, broken: undefined, sinceRemembered: undefined };
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
