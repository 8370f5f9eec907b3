import { sql } from 'kysely';
import { type Database, rowOf } from '../../platform/database/open-database.ts';
import { type RetentionRule, retentionRules } from './retention.queries.ts';

const BATCH = 500;

/**
 * Deletes a batch of the rows of each table whose retention has ended, except rows that other transactions have locked.
 * Returns true when there may be more. A table that fails is named by the error that is thrown at the end, after the
 * other tables.
 */
export async function removeEndedRows(db: Database, now: Date, rules = retentionRules): Promise<boolean> {
  let more = false;
  const failures: { table: string; cause: unknown }[] = [];
  for (const rule of rules) {
    try {
      more = (await removeBatch(db, rule, now)) === BATCH || more;
    } catch (cause) {
      failures.push({ table: rule.table, cause });
    }
  }
  const [first] = failures;
  if (!first) return more;
  // The database is away.
  if (failures.length === rules.length) throw first.cause;
  const tables = failures.map(({ table }) => table).join(', ');
  throw new Error(`Ended rows could not be removed: ${tables}`, { cause: first.cause });
}

async function removeBatch(db: Database, { table, isOver, removeFirst }: RetentionRule, now: Date): Promise<number> {
  const name = sql.table(table);
  const { removed } = await rowOf<{ removed: number }>(db)`
    WITH ended AS MATERIALIZED (
      SELECT ctid${removeFirst ? sql`, id` : sql``} FROM ${name} WHERE ${isOver(now)} LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED
    )${removeFirst ? sql`, ${removeFirst}` : sql``}, removed AS (
      DELETE FROM ${name} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ended)) RETURNING 1
    ) SELECT count(*)::integer AS removed FROM removed`;
  return removed;
}
