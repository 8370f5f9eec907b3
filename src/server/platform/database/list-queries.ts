import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import { type Counted, DEFAULT_PAGE_SIZE, MAX_COUNT } from '../../../shared/paging.ts';
import { timestamp } from '../../../shared/text.ts';
import { tryParseJson } from '../../../shared/try-parse-json.ts';
import { columnOf, type Database, fieldOf, rowOf, rowsOf } from './database.ts';

/** A page of a list: at most `limit` rows, after `cursor`. */
export type PageStart = { limit?: number | undefined; cursor?: string | undefined };

/** The sort of a list. All columns have one direction, so that the next page needs only one comparison of rows. */
export interface Sort {
  columns: { value: RawBuilder<unknown>; type: SortType }[];
  direction: 'ASC' | 'DESC';
}

/** The sort of most lists. */
export const newestFirst = (table: string): Sort => ({
  columns: [
    { value: sql.ref(`${table}.created_at`), type: 'timestamptz' },
    { value: sql.ref(`${table}.id`), type: 'uuid' },
  ],
  direction: 'DESC',
});

/** The column that every list selects: the sort values of the row, as PostgreSQL prints them. */
export const placeOf = ({ columns }: Sort) =>
  sql<string[]>`ARRAY[${sql.join(columns.map(({ value }) => sql`(${value})::text`))}]`.as('place');

/** The condition that a row comes after the cursor; true without a cursor. */
export function afterCursor({ columns, direction }: Sort, cursor: string | undefined): RawBuilder<SqlBool> {
  if (cursor === undefined) return sql<SqlBool>`true`;
  const types = columns.map(({ type }) => type);
  const last = decodeCursor(cursor, types).map((value, at) => sql`${value}::${sql.raw(types[at] ?? 'text')}`);
  const comparison = direction === 'ASC' ? sql`>` : sql`<`;
  return sql<SqlBool>`(${sql.join(columns.map(({ value }) => value))}) ${comparison} (${sql.join(last)})`;
}

export const sortTerms = ({ columns, direction }: Sort): RawBuilder<unknown> =>
  sql.join(columns.map(({ value }) => sql`${value} ${sql.raw(direction)}`));

/** One row more than is shown, which tells whether there is a next page. */
export const rowsToRead = ({ limit = DEFAULT_PAGE_SIZE }: PageStart): number => limit + 1;

/** Goes after the conditions of the WHERE of a statement that selects `placeOf(sort)`, to read one page of the list. */
export const onePage = (sort: Sort, start: PageStart) => sql`
  AND ${afterCursor(sort, start.cursor)} ORDER BY ${sortTerms(sort)} LIMIT ${rowsToRead(start)}`;

/** Returns the rows to show and the cursor of the next page, null on the last page. */
export function cutPage<Row extends { place: string[] }>(rows: Row[], { limit = DEFAULT_PAGE_SIZE }: PageStart) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last ? encodeCursor(last.place) : null };
}

export async function countUpTo(db: Database, query: RawBuilder<unknown>): Promise<Counted> {
  const total = await fieldOf<number>(db)`
    SELECT count(*)::integer FROM (${query} LIMIT ${MAX_COUNT}) AS found`;
  return { total, hasUncounted: total === MAX_COUNT };
}

/** One page of the rows that `page` selects with their place, and how many rows `all` selects. */
export async function readCountedPage<Row>(
  db: Database,
  { page, all }: { page: RawBuilder<unknown>; all: RawBuilder<unknown> },
  start: PageStart,
) {
  const [found, counted] = await Promise.all([rowsOf<Row & { place: string[] }>(db)`${page}`, countUpTo(db, all)]);
  return { ...cutPage(found, start), ...counted };
}

interface ListOfRows {
  /** The name of a row in the sort. */
  table: string;
  sort: Sort;
}

/** The ids of one page of the rows that `found` selects, with one more than is shown. */
export const readIds = (db: Database, found: RawBuilder<unknown>, { table, sort }: ListOfRows, start: PageStart) =>
  columnOf<string>(db)`
    SELECT id FROM (${found}) AS ${sql.ref(table)} ORDER BY ${sortTerms(sort)} LIMIT ${rowsToRead(start)}`;

/** The same of the rows that `select` selects after the cursor of the filter, and how many there are on all pages. */
export async function readCountedIds<Filter extends PageStart>(
  db: Database,
  filter: Filter,
  list: ListOfRows,
  select: (filter: Filter) => RawBuilder<unknown>,
): Promise<{ ids: string[] } & Counted> {
  const [ids, counted] = await Promise.all([
    readIds(db, select(filter), list, filter),
    countUpTo(db, select({ ...filter, cursor: undefined })),
  ]);
  return { ids, ...counted };
}

const encodeCursor = (place: string[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');

const INTEGER = 2 ** 31;
const TIMESTAMP = /^(?!0000)(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-](?:0\d|1[0-4]))(:[0-5]\d)?$/;

// Checks of cursor values, by the SQL type of the sort value. A value that passes can be cast without an error.
const readable = {
  integer: (value: string) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) < INTEGER,
  bigint: (value: string) => /^\d{1,18}$/.test(value),
  uuid: (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  timestamptz: (value: string) =>
    timestamp.safeParse(
      value.replace(TIMESTAMP, (_, day, time, hours, minutes = ':00') => `${day}T${time}${hours}${minutes}`),
    ).success,
} satisfies Record<string, (value: string) => boolean>;

type SortType = keyof typeof readable;

/** Decodes a cursor with values of these types. Throws VALIDATION_FAILED for any other text, e.g. of another list. */
function decodeCursor(text: string, types: readonly SortType[]): string[] {
  const values = tryParseJson(Buffer.from(text, 'base64url').toString());
  const valid =
    Array.isArray(values) &&
    values.length === types.length &&
    types.every((type, index) => typeof values[index] === 'string' && readable[type](values[index]));
  if (!valid) throw new AppError('VALIDATION_FAILED', 'cursor: is not one of this list', 'cursor');
  return values;
}

/** An ILIKE pattern that matches the text literally, at any position. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export const anyContains = (columns: RawBuilder<unknown>[], text: string) => anyMatches(columns, containing(text));

const anyMatches = (columns: RawBuilder<unknown>[], pattern: string) => {
  const matches = columns.map((column) => sql`${column} ILIKE ${pattern}`);
  return sql<SqlBool>`(${sql.join(matches, sql` OR `)})`;
};

const refsOf = (columns: string[]) => columns.map((column) => sql.ref(column));

/**
 * Condition that a name or an e-mail address contains the text. The trigram index is used only for the part of an
 * address before the @, because nearly every row has the trigrams of a common domain.
 */
export function nameOrEmailContains(columns: string[], text: string): RawBuilder<SqlBool> {
  const refs = refsOf(columns);
  const pattern = containing(text);
  const at = text.indexOf('@');
  if (at < 3) return anyMatches(refs, pattern);
  const beyondTheIndex = refs.map((ref) => sql`(${ref} || '')`);
  return sql<SqlBool>`(${anyMatches(refs, containing(text.slice(0, at + 1)))} AND ${anyMatches(beyondTheIndex, pattern)})`;
}

/** The start of a day (YYYY-MM-DD) in the shop's time zone, or of the day `daysLater` days after it. */
export const startOfDay = (day: string, daysLater = 0): RawBuilder<Date> =>
  sql<Date>`((${day}::date + ${sql.lit(daysLater)})::timestamp AT TIME ZONE ${sql.lit(SHOP_TIME_ZONE)})`;

/** The condition that a time is between these days, both included. A missing day means no limit. */
export function onDays(column: string, { from, to }: { from?: string | undefined; to?: string | undefined }) {
  const time = sql.ref(column);
  const start = from === undefined ? sql`'-infinity'` : startOfDay(from);
  const end = to === undefined ? sql`'infinity'` : startOfDay(to, 1);
  return sql<SqlBool>`(${time} >= ${start} AND ${time} < ${end})`;
}

// A frequent word is found fast by scanning the first rows of a list, a rare word by the trigram indexes. Either method
// alone would read most of a million rows for some words, so the share of matches among the first rows decides.
const LOOKED_AT = 2_000;
/** From this share of matches on, the first rows are scanned, which fills a page; the matches are not counted out. */
const FREQUENT = 0.01;
const MAX_LOOKED_AT = 20_000;

/** The list's `table` is also the name of a row in `matches`. */
export interface WordSearch<Filter> extends ListOfRows {
  /** Selects the listed rows in the order of the list, up to `limit`. */
  first(filter: Filter, limit: number): RawBuilder<unknown>;
  /** Whether a row of `first` matches. */
  matches: RawBuilder<SqlBool>;
  /** Selects the same matches in any order by the trigram indexes, with the columns of the sort. */
  byWords(filter: Filter): RawBuilder<unknown>;
}

/** Finds the ids of one page, with one more than is shown, and how many rows match on all pages. */
export async function searchByWords<Filter extends PageStart>(
  db: Database,
  filter: Filter,
  search: WordSearch<Filter>,
  lookedAt = LOOKED_AT,
): Promise<{ ids: string[] } & Counted> {
  const { table, matches } = search;
  const rows = sql.ref(table);
  const whole = { ...filter, cursor: undefined };
  const readPage = (found: RawBuilder<unknown>) => readIds(db, found, search, filter);
  const oneByOne = sql`SELECT * FROM (${search.first(filter, MAX_LOOKED_AT)}) AS ${rows} WHERE ${matches}`;

  const { looked, matching } = await rowOf<{ looked: number; matching: number }>(db)`
    SELECT count(*)::integer AS looked, (count(*) FILTER (WHERE ${matches}))::integer AS matching
    FROM (${search.first(whole, lookedAt)}) AS ${rows}`;
  if (looked < lookedAt) return { ids: await readPage(oneByOne), total: matching, hasUncounted: false };
  if (matching >= looked * FREQUENT) {
    const ids = await readPage(oneByOne);
    if (ids.length === rowsToRead(filter)) return { ids, total: matching, hasUncounted: true };
  }
  return readCountedIds(db, filter, search, search.byWords);
}

/** Matches names and e-mails. The trigram indexes find fewer than three characters only at the beginning of a text. */
export const isNamed = (columns: string[], q: string): RawBuilder<SqlBool> =>
  q.length < 3 ? anyMatches(refsOf(columns), containing(q).slice(1)) : nameOrEmailContains(columns, q);
