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

/** Until the transaction ends nobody else adds an entry, so that each knows the one before it. */
export async function lockAuditLog(trx: Transaction): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('audit log'))`.execute(trx);
}

export function findLastEntry(trx: Transaction): Promise<Pick<AuditRow, 'hash'> | undefined> {
  return trx.selectFrom('audit_log').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export async function insertEntry(trx: Transaction, entry: Insertable<Tables['audit_log']>): Promise<void> {
  await trx.insertInto('audit_log').values(entry).execute();
}

const columns = [
  'id',
  'at',
  'user_id',
  'actor',
  'ip',
  'action',
  'subject_type',
  'subject_id',
  'summary',
  'hash',
] as const;

/** The next entries in the order in which they were written. */
export function listEntriesAfter(db: Database, id: string, limit: number): Promise<AuditRow[]> {
  return db.selectFrom('audit_log').select(columns).where('id', '>', id).orderBy('id').limit(limit).execute();
}

export interface AuditSearch {
  /** Part of who, what, to what, or of the summary. */
  q?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

// The expression of the index audit_log_by_words.
const words = sql<string>`(actor || ' ' || action || ' ' || subject_id || ' ' || summary)`;

const matching = ({ q, ...days }: AuditSearch) =>
  sql<boolean>`${onDays('at', days)} AND ${q ? sql`${words} ILIKE ${containing(q)}` : sql`true`}`;

/** Newest first; their ids are in the order of time, and so enough of a place. */
export function listEntries(
  db: Database,
  { cursor, limit, ...search }: AuditSearch & PageStart,
): Promise<(AuditRow & { place: string[] })[]> {
  const [before] = cursor === undefined ? [] : decodeCursor(cursor, ['bigint']);
  return db
    .selectFrom('audit_log')
    .selectAll()
    .select(sql<string[]>`ARRAY[id::text]`.as('place'))
    .where(matching(search))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(rowsToRead({ limit }))
    .execute();
}

export const countEntries = (db: Database, search: AuditSearch): Promise<Counted> =>
  countUpTo(db, sql`SELECT 1 FROM audit_log WHERE ${matching(search)}`);
