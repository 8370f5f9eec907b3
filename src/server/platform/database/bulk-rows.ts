import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Transaction } from './open-database.ts';
import type { Tables } from './tables.ts';

/**
 * Inserts many rows as one parameter, which costs PostgreSQL and this process a fraction of as many lists of values. A
 * column that any row names is null in the rows that do not; one that none names has its default. With `unlessKnown` a
 * row is left out whose value of that column is there already. Answers how many were inserted.
 */
export async function insertRows<Name extends keyof Tables & string>(
  trx: Transaction,
  name: Name,
  rows: Partial<Selectable<Tables[Name]>>[],
  { unlessKnown }: { unlessKnown?: keyof Tables[Name] & string } = {},
): Promise<number> {
  const columns = sql.join([...new Set(rows.flatMap(Object.keys))].map((column) => sql.ref(column)));
  const table = sql.table(name);
  const skip = unlessKnown ? sql`ON CONFLICT (${sql.ref(unlessKnown)}) DO NOTHING` : sql``;
  const { numAffectedRows } = await sql`
    INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ${JSON.stringify(rows.map(asJson))}) ${skip}`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0);
}

const asJson = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
    ]),
  );

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

async function removeBatch(db: Database, { table, isOver, removeFirst }: RowLife, now: Date): Promise<number> {
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
