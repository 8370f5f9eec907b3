import { type Insertable, sql } from 'kysely';
import type { Counted } from '../../../shared/paging.ts';
import {
  containing,
  countUpTo,
  decodeCursor,
  onDays,
  type PageStart,
  rowsToRead,
} from '../../platform/database/list-queries.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { AuditRow, Tables } from '../../platform/database/tables.ts';

/** Locks the log until the transaction ends, so that the hash of each entry covers the one before it. */
export async function lockAndFindLastEntry(trx: Transaction): Promise<Pick<AuditRow, 'hash'> | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('audit log'))`.execute(trx);
  return trx.selectFrom('audit_log').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export const insertEntry = (trx: Transaction, entry: Insertable<Tables['audit_log']>) =>
  trx.insertInto('audit_log').values(entry).execute();

/** The next entries, oldest first. */
export const listEntriesAfter = (db: Database, id: string, limit: number): Promise<AuditRow[]> =>
  db.selectFrom('audit_log').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute();

interface AuditSearch {
  /** Part of actor, action, subject or summary. */
  q?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

// The expression of the index audit_log_by_words.
const words = sql<string>`(actor || ' ' || action || ' ' || subject_id || ' ' || summary)`;

const matching = ({ q, ...days }: AuditSearch) =>
  sql<boolean>`${onDays('at', days)} AND ${q ? sql`${words} ILIKE ${containing(q)}` : sql`true`}`;

/** Newest first: ids increase with time, so an id is the cursor. */
export function listEntries(db: Database, { cursor, limit, ...search }: AuditSearch & PageStart) {
  const [before] = cursor === undefined ? [] : decodeCursor(cursor, ['bigint']);
  const isNext = before === undefined ? sql<boolean>`true` : sql<boolean>`id < ${before}`;
  const entries = db.selectFrom('audit_log').selectAll().select(sql<string[]>`ARRAY[id::text]`.as('place'));
  return entries.where(matching(search)).where(isNext).orderBy('id', 'desc').limit(rowsToRead({ limit })).execute();
}

export const countEntries = (db: Database, search: AuditSearch): Promise<Counted> =>
  countUpTo(db, sql`SELECT 1 FROM audit_log WHERE ${matching(search)}`);
