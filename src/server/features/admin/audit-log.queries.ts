import { type Insertable, sql } from 'kysely';
import type { SearchOf } from '../../../shared/api.ts';
import { containing, countUpTo, onDays, onePage, placeOf, type Sort } from '../../platform/database/list-queries.ts';
import { type Database, firstRowOf, type Transaction } from '../../platform/database/open-database.ts';
import type { AuditRow, Tables } from '../../platform/database/tables.ts';

/** Locks the log until the transaction ends, so that the hash of each entry covers the one before it. */
export async function lockAndFindLastEntry(trx: Transaction): Promise<Pick<AuditRow, 'hash'> | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('audit log'))`.execute(trx);
  return trx.selectFrom('audit_log').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Whether a user is still an administrator, and whether their session is still live. */
export const findStanding = (trx: Transaction, { userId, sessionId }: { userId: string; sessionId: string }) =>
  firstRowOf<{ isAdministrator: boolean; isSignedIn: boolean }>(trx)`
    SELECT role = 'admin' AND blocked_at IS NULL AS "isAdministrator", revoked_at IS NULL AS "isSignedIn"
    FROM users JOIN sessions ON user_id = users.id WHERE users.id = ${userId} AND sessions.id = ${sessionId}`;

export const insertEntry = (trx: Transaction, entry: Insertable<Tables['audit_log']>) =>
  trx.insertInto('audit_log').values(entry).execute();

export const listEntriesAfter = (db: Database, id: string, limit: number): Promise<AuditRow[]> =>
  db.selectFrom('audit_log').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute();

type AuditSearch = SearchOf<'GET /admin/audit-log'>;

// The expression of the index audit_log_by_words.
const words = sql<string>`(actor || ' ' || action || ' ' || subject_id || ' ' || summary)`;

const matching = ({ q, from, to }: AuditSearch) =>
  sql<boolean>`${onDays('at', { from, to })} AND ${q ? sql`${words} ILIKE ${containing(q)}` : sql`true`}`;

// Newest first: ids increase with time.
const byId: Sort = { columns: [{ value: sql`id`, type: 'bigint' }], direction: 'DESC' };

export function listEntries(db: Database, search: AuditSearch) {
  const entries = db.selectFrom('audit_log').selectAll().select(placeOf(byId));
  return entries.where(matching(search)).$call(onePage(byId, search)).execute();
}

export const countEntries = (db: Database, search: AuditSearch) =>
  countUpTo(db, sql`SELECT 1 FROM audit_log WHERE ${matching(search)}`);
