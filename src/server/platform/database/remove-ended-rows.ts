import { type RawBuilder, sql } from 'kysely';
import type { Database } from './open-database.ts';

/** How long the rows of a table are kept. */
export interface RowLife {
  table: string;
  /** For operators, as docs/operations.md says it. */
  life: string;
  /** True of the rows whose life is over. */
  isOver: (now: Date) => RawBuilder<unknown>;
  /** Statements of the same transaction that remove what depends on `ended (id)`; none unless said. */
  removeFirst?: RawBuilder<unknown>;
}

const BATCH = 500;

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

/**
 * Removes one batch of the rows of each table whose life is over; true when there may be more. Rows that somebody else has
 * locked are left for the next time, so that several processes can do this at once and nobody waits.
 */
export async function removeEndedRows(
  db: Database,
  { lives, now }: { lives: readonly RowLife[]; now: Date },
): Promise<boolean> {
  let more = false;
  for (const life of lives) {
    if ((await removeBatch(db, life, now)) === BATCH) more = true;
  }
  return more;
}

async function removeBatch(
  db: Database,
  { table, isOver, removeFirst }: RowLife,
  now: Date,
): Promise<number> {
  const name = sql.table(table);
  const key = removeFirst ? sql`, id` : sql``;
  const { rows } = await sql<{ removed: number }>`
    WITH ended AS MATERIALIZED (
      SELECT ctid${key} FROM ${name} WHERE ${isOver(now)} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    )${removeFirst ? sql`, ${removeFirst}` : sql``}, removed AS (
      DELETE FROM ${name} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ended)) RETURNING 1
    ) SELECT count(*)::integer AS removed FROM removed`.execute(db);
  return rows[0]?.removed ?? 0;
}
