import { type Selectable, sql } from 'kysely';
import type { Transaction } from './open-database.ts';
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
