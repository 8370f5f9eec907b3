import { sql } from 'kysely';
import type { SearchOf } from '../../../shared/api.ts';
import type { Deps } from '../../deps.ts';
import { type Database, firstRowOf, rowsOf, type Transaction } from '../../platform/database/database.ts';
import {
  containing,
  onDays,
  onePage,
  placeOf,
  readCountedPage,
  type Sort,
} from '../../platform/database/list-queries.ts';
import type { AuditRow } from '../../platform/database/tables.ts';
import { type Actor, accessDenied, sessionExpired } from '../../platform/http/client.ts';

/** Locks the log until the transaction ends, so that the hash of each entry covers the one before it. */
export async function lockAndFindLastEntry(trx: Transaction): Promise<Pick<AuditRow, 'hash'> | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('audit log'))`.execute(trx);
  return trx.selectFrom('audit_log').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Whether a user is still an administrator, and whether their session is still live. */
const findStanding = (db: Database, { userId, sessionId, now }: { userId: string; sessionId: string; now: Date }) =>
  firstRowOf<{ isAdministrator: boolean; isSignedIn: boolean }>(db)`
    SELECT role = 'admin' AND blocked_at IS NULL AS "isAdministrator",
      revoked_at IS NULL AND expires_at > ${now} AS "isSignedIn"
    FROM users JOIN sessions ON user_id = users.id WHERE users.id = ${userId} AND sessions.id = ${sessionId}`;

type AuditSearch = SearchOf<'GET /admin/audit-log'>;

// The expression of the index audit_log_by_words.
const words = sql<string>`(actor || ' ' || action || ' ' || subject_id || ' ' || summary)`;

const matching = ({ q, from, to }: AuditSearch) =>
  sql<boolean>`${onDays('at', { from, to })} AND ${q ? sql`${words} ILIKE ${containing(q)}` : sql`true`}`;

// Newest first: ids increase with time.
const byId: Sort = { columns: [{ value: sql`id`, type: 'bigint' }], direction: 'DESC' };

export function listEntries(db: Database, search: AuditSearch) {
  const page = sql`SELECT *, ${placeOf(byId)} FROM audit_log WHERE ${matching(search)} ${onePage(byId, search)}`;
  return readCountedPage<AuditRow>(db, { page, all: sql`SELECT 1 FROM audit_log WHERE ${matching(search)}` }, search);
}

/**
 * Writes an entry in the transaction of the recorded action. `summary` is for people and never holds a secret. Must be
 * the last statement of the transaction, because the log stays locked until its end. Throws like assertStillAdministrator,
 * so that nothing is changed by a call that waited for a lock while its administrator lost the right to make it.
 */
export async function writeAudit(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  entry: {
    actor: Actor;
    /** E.g. `product.updated`. */
    action: string;
    subject: {
      type:
        | 'product'
        | 'physical-product'
        | 'item'
        | 'order'
        | 'user'
        | 'image'
        | 'report'
        | 'data-key'
        | 'alert'
        | 'review'
        | 'shop';
      id: string;
    };
    summary: string;
  },
): Promise<void> {
  const { actor, action, subject, summary } = entry;
  const previous = (await lockAndFindLastEntry(trx))?.hash ?? Buffer.alloc(0);
  await assertStillAdministrator({ db: trx, clock: deps.clock }, actor);
  const { userId: user_id, name, ip } = actor;
  const about = { action, subject_type: subject.type, subject_id: subject.id, summary };
  const row = { at: deps.clock.now(), user_id, actor: name, ip, ...about };
  const hash = deps.cipher.chain(previous, chainedText(row));
  await trx
    .insertInto('audit_log')
    .values({ ...row, hash })
    .execute();
}

/**
 * Throws FORBIDDEN for an actor who was blocked or made a customer during the call, and UNAUTHENTICATED for one whose
 * session has ended. Only an actor with a session is checked.
 */
export async function assertStillAdministrator(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { userId, sessionId }: Actor,
): Promise<void> {
  if (userId === null || sessionId === undefined) return;
  const standing = await findStanding(db, { userId, sessionId, now: clock.now() });
  if (!standing?.isAdministrator) throw accessDenied();
  if (!standing.isSignedIn) throw sessionExpired();
}

export const writeOrderAudit = (
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  { orderId, ...entry }: { orderId: string; actor: Actor; action: `order.${string}`; summary: string },
) => writeAudit(deps, trx, { ...entry, subject: { type: 'order', id: orderId } });

/** Returns the text that the hash of an entry covers. It must be the same when the entry is written and checked. */
function chainedText(row: Omit<AuditRow, 'id' | 'hash'>): string {
  const { user_id, actor, ip, action, subject_type, subject_id, summary } = row;
  return JSON.stringify([row.at.toISOString(), user_id, actor, ip, action, subject_type, subject_id, summary]);
}

const BATCH = 1_000;

interface AuditLogState {
  /** Number of unchanged entries, from the first on. */
  whole: number;
  newest: AuditRow | undefined;
  /** The first entry that was changed, or before which an entry was removed or inserted. */
  broken: AuditRow | undefined;
  /** Number of unchanged entries after the one with the remembered hash; undefined when no entry has that hash. */
  sinceRemembered: number | undefined;
}

/**
 * Checks the chain of hashes of the audit log from its first entry. Removing the last entries leaves a valid chain; to
 * detect that, pass the remembered hash (hex) of an entry.
 */
export async function verifyAuditLog({ db, cipher }: Pick<Deps, 'db' | 'cipher'>, remembered?: string) {
  const state: AuditLogState = { whole: 0, newest: undefined, broken: undefined, sinceRemembered: undefined };
  for (;;) {
    const entries = await rowsOf<AuditRow>(db)`
      SELECT * FROM audit_log WHERE id > ${state.newest?.id ?? '0'} ORDER BY id LIMIT ${BATCH}`;
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
