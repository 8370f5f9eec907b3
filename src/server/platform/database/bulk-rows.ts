import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Database, rowOf, type Transaction } from './open-database.ts';
import type { Tables } from './tables.ts';

/**
 * Inserts many rows as one JSON parameter, which is far cheaper than a list of values for each row. A column that no
 * row has gets its default; one that only some rows have is null in the others. With `unlessKnown`, skips rows whose
 * value of that column exists. Returns the number of inserted rows.
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
  const inserting = sql`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${rowsInJson(table, rows)} ${skip}`;
  return Number((await inserting.execute(trx)).numAffectedRows ?? 0);
}

/** Returns rows for a FROM clause, with the column types of the table, as one parameter. */
function rowsInJson(table: RawBuilder<unknown>, rows: object[]): RawBuilder<unknown> {
  const asBytea = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value);
  const asJson = (row: object) => Object.entries(row).map(([column, value]) => [column, asBytea(value)]);
  const json = JSON.stringify(rows.map((row) => Object.fromEntries(asJson(row))));
  return sql`json_populate_recordset(NULL::${table}, ${json})`;
}

/** The retention of a table's rows. */
export interface RowLife {
  table: string;
  life: string;
  isOver: (now: Date) => RawBuilder<unknown>;
  /** Common table expressions of the same statement that first delete the rows referring to `ended (id)`. */
  removeFirst?: RawBuilder<unknown>;
}

const BATCH = 500;

/**
 * Deletes a batch of expired rows of each table, except rows that other transactions have locked. Returns true when
 * there may be more. A table that fails is named by the error that is thrown at the end, after the other tables.
 */
export async function removeEndedRows(db: Database, { lives, now }: { lives: readonly RowLife[]; now: Date }) {
  let more = false;
  const failures: { table: string; cause: unknown }[] = [];
  for (const life of lives) {
    try {
      more = (await removeBatch(db, life, now)) === BATCH || more;
    } catch (cause) {
      failures.push({ table: life.table, cause });
    }
  }
  const [first] = failures;
  if (!first) return more;
  // The database is away.
  if (failures.length === lives.length) throw first.cause;
  const tables = failures.map(({ table }) => table).join(', ');
  throw new Error(`Ended rows could not be removed: ${tables}`, { cause: first.cause });
}

async function removeBatch(db: Database, { table, isOver, removeFirst }: RowLife, now: Date): Promise<number> {
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
