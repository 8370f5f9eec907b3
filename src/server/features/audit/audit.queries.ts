import { type Insertable, sql } from 'kysely';
import type { Transaction } from '../../platform/database/open-database.ts';
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
