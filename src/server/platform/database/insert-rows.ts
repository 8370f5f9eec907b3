import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { hasRow, type Transaction } from './open-database.ts';
import type { Tables } from './tables.ts';

/**
 * Inserts many rows as one JSON parameter, which is far cheaper than a list of values per row. A column that no row has
 * gets its default; a column that only some rows have is null in the others. With `unlessKnown`, skips rows whose value
 * of that column exists. Returns the number of inserted rows.
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

/** Inserts a row. Returns false, without effect, when the table has a row with this id. */
export const insertUnlessKnown = <Name extends keyof Tables>(
  trx: Transaction,
  name: Name,
  row: Insertable<Tables[Name]>,
): Promise<boolean> =>
  hasRow(trx)`${trx.insertInto(name).values(row as never)} ON CONFLICT (id) DO NOTHING RETURNING 1`;

/** Returns rows for a FROM clause, with the column types of the table, as one parameter. */
function rowsInJson(table: RawBuilder<unknown>, rows: object[]): RawBuilder<unknown> {
  const asBytea = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value);
  const asJson = (row: object) => Object.entries(row).map(([column, value]) => [column, asBytea(value)]);
  const json = JSON.stringify(rows.map((row) => Object.fromEntries(asJson(row))));
  return sql`json_populate_recordset(NULL::${table}, ${json})`;
}
