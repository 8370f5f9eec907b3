import { createHash } from 'node:crypto';
import {
  type Insertable,
  type Kysely,
  type Transaction as KyselyTransaction,
  type RawBuilder,
  type Selectable,
  sql,
} from 'kysely';
import { MINUTE_MS } from '../../../shared/durations.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

/** The strings and values of a template. */
type Statement = Parameters<typeof sql>;

/** Template tag that runs a statement and returns its rows, as in rowsOf<{ id: string }>(db)`SELECT id FROM users`. */
export const rowsOf =
  <Row>(db: Database) =>
  async (...statement: Statement): Promise<Row[]> =>
    (await sql<Row>(...statement).execute(db)).rows;

export const firstRowOf =
  <Row>(db: Database) =>
  async (...statement: Statement): Promise<Row | undefined> =>
    (await rowsOf<Row>(db)(...statement))[0];

/** Template tag that tells whether a statement returns a row. */
export const hasRow =
  (db: Database) =>
  async (...statement: Statement): Promise<boolean> =>
    (await firstRowOf(db)(...statement)) !== undefined;

/** Template tag for a statement that always has a row, such as a count. Throws when there is none. */
export const rowOf =
  <Row>(db: Database) =>
  async (...statement: Statement): Promise<Row> => {
    const row = await firstRowOf<Row>(db)(...statement);
    if (!row) throw new Error('The database answered no row');
    return row;
  };

/** Template tag that returns the only column of each row, as in columnOf<string>(db)`SELECT id FROM users`. */
export const columnOf =
  <Value>(db: Database) =>
  async (...statement: Statement): Promise<Value[]> =>
    (await rowsOf<Record<string, Value>>(db)(...statement)).flatMap((row) => Object.values(row));

/** Template tag that returns the only value of the first row; undefined when there is none. */
export const firstFieldOf =
  <Value>(db: Database) =>
  async (...statement: Statement): Promise<Value | undefined> =>
    (await columnOf<Value>(db)(...statement))[0];

/** Template tag that returns the only value of a statement that always has a row, such as a count. */
export const fieldOf =
  <Value>(db: Database) =>
  async (...statement: Statement): Promise<Value> =>
    Object.values(await rowOf<Record<string, Value>>(db)(...statement))[0] as Value;

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

/** Locks a name, e.g. that of a recipient, until the transaction ends. */
export const lockName = (trx: Transaction, name: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);

/** Locks a kind of work until the transaction ends. Returns false while another transaction has the lock. */
export const tryLockWork = (trx: Transaction, work: string) => fieldOf<boolean>(trx)`
    SELECT pg_try_advisory_xact_lock(hashtext(${work}))`;

/**
 * Records the start of work that all processes together do once in `everyMs`. Returns false if one has started it since
 * then, by the clock of the database.
 */
export const startIfDue = (db: Database, work: string, everyMs: number) => hasRow(db)`
    INSERT INTO background_work AS last (name, started_at) VALUES (${work}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET started_at = clock_timestamp()
    WHERE last.started_at NOT BETWEEN clock_timestamp() - ${everyMs} * interval '1 millisecond' AND clock_timestamp()
    RETURNING 1`;

/**
 * Returns the latest time that can be past, because the clocks of two processes differ by far less than a minute. A later
 * one was written while the clock was ahead, and would count for longer by as much.
 */
export const latestPast = (now: Date): Date => new Date(now.getTime() + MINUTE_MS);

/** Whether a time is within the last `ms`. */
export const isWithinLast = (ms: number, { column, now }: { column: string; now: Date }) =>
  sql<boolean>`${sql.ref(column)} > ${new Date(now.getTime() - ms)} AND ${sql.ref(column)} <= ${latestPast(now)}`;

// Every connection keeps each prepared statement, so those of unlimited variants (long lists) must not accumulate.
const MAX_STATEMENTS = 300;

/** Whether a statement selects a star outside of parentheses: prepared, it would fail once a column is added. */
function selectsStar(text: string): boolean {
  const outer = text.replaceAll(/\([^()]*\)/g, '');
  // Any other star is a multiplication.
  const star = /(\b(select|distinct|returning)|,)\s*\*|\.\*/i;
  return outer === text ? star.test(text) : selectsStar(outer);
}

// Not prepared, so that it is planned for its text: a generic plan would read the whole table for a rare name.
const isSearch = (text: string) => /\bilike\b/i.test(text);

/**
 * Creates a function that returns the name for preparing a statement, or undefined if the statement must not be
 * prepared. Preparing saves the parsing and planning of the checkout's large statements. A name is a hash of the text,
 * because a pooler shares connections among processes (docs/decisions/0011-prepared-statements.md).
 */
export function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string | undefined>();

  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.has(text)) return known;
    if (names.size >= MAX_STATEMENTS) return undefined;
    const name = selectsStar(text) || isSearch(text) ? undefined : nameFor(text);
    names.set(text, name);
    return name;
  };
}

const nameFor = (text: string) => `kedai_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
