import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import { type Counted, FIRST_PAGE, MOST_COUNTED } from '../../../shared/paging.ts';
import { timestamp } from '../../../shared/text.ts';
import type { Database } from './open-database.ts';

/** Where a page of a list begins that is ordered by `created_at DESC, id DESC`. */
export interface PageStart {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What every such list selects besides its columns: its place in the order, as PostgreSQL prints it. */
export const placeOf = (table: string) =>
  sql<string[]>`ARRAY[${sql.ref(`${table}.created_at`)}::text, ${sql.ref(`${table}.id`)}::text]`.as('place');

/** The condition that the page continues where the one before it ended; true for the first. */
export function afterCursor(table: string, cursor: string | undefined): RawBuilder<SqlBool> {
  const after = decodeNewestCursor(cursor);
  if (!after) return sql<SqlBool>`true`;
  return sql<SqlBool>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
}

/** One more than is shown, which tells whether there is a next page. */
export const rowsToRead = ({ limit = FIRST_PAGE }: PageStart): number => limit + 1;

/** The rows to show, and the cursor of the page after them. */
export function cutPage<Row extends { place: string[] }>(
  rows: Row[],
  { limit = FIRST_PAGE }: PageStart,
): { rows: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, nextCursor: rows.length > limit && last ? encodeCursor(last.place) : null };
}

/** How many rows a query finds, counted no further than anybody reads. */
export async function countUpTo(db: Database, query: RawBuilder<unknown>): Promise<Counted> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::integer AS n FROM (${query} LIMIT ${MOST_COUNTED}) AS found`.execute(db);
  const total = rows[0]?.n ?? 0;
  return { total, hasUncounted: total === MOST_COUNTED };
}

/** The sort values of the last row shown, as PostgreSQL prints them. */
export type Cursor = string[];

export const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

const INTEGER = 2 ** 31;
const moment = /^(?!0000)(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-](?:0\d|1[0-4]))(:[0-5]\d)?$/;

// By the type that a sort value is cast to in SQL: a cast never meets what it would fail at.
const readable = {
  integer: (value: string) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) < INTEGER,
  bigint: (value: string) => /^\d{1,18}$/.test(value),
  uuid: (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  timestamptz: (value: string) =>
    timestamp.safeParse(
      value.replace(moment, (_, day, time, hours, minutes = ':00') => `${day}T${time}${hours}${minutes}`),
    ).success,
} satisfies Record<string, (value: string) => boolean>;

export type SortType = keyof typeof readable;

/** Reads a cursor of values of these types; throws VALIDATION_FAILED when it is not one that this sort handed out. */
export function decodeCursor(text: string, types: readonly SortType[]): Cursor {
  const values = parseJson(Buffer.from(text, 'base64url').toString());
  const valid =
    Array.isArray(values) &&
    values.length === types.length &&
    types.every((type, index) => typeof values[index] === 'string' && readable[type](values[index]));
  if (!valid) throw new AppError('VALIDATION_FAILED', 'cursor: is not one of this list', 'cursor');
  return values;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of lists that stand in the order of their creation, newest first. */
function decodeNewestCursor(text: string | undefined): { createdAt: string; id: string } | undefined {
  if (text === undefined) return undefined;
  const [createdAt = '', id = ''] = decodeCursor(text, ['timestamptz', 'uuid']);
  return { createdAt, id };
}

/** Makes a person's text match itself, anywhere in what is searched. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const anyMatches = (columns: RawBuilder<unknown>[], pattern: string) =>
  sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${column} ILIKE ${pattern}`),
    sql` OR `,
  )})`;

/**
 * Whether a name or an e-mail address contains a person's text, by the trigram index of both columns. Of an address the
 * index is asked for what is before the domain, as the trigrams of domains are in nearly every row.
 */
export function nameOrEmailContains(columns: string[], text: string): RawBuilder<SqlBool> {
  const refs = columns.map((column) => sql.ref(column));
  const pattern = containing(text);
  const at = text.indexOf('@');
  if (at < 3) return anyMatches(refs, pattern);
  const beyondTheIndex = refs.map((ref) => sql`(${ref} || '')`);
  return sql<SqlBool>`(${anyMatches(refs, containing(text.slice(0, at + 1)))} AND ${anyMatches(beyondTheIndex, pattern)})`;
}

/** Whether a name or an e-mail address begins with a person's text. */
export const nameOrEmailBegins = (columns: string[], text: string): RawBuilder<SqlBool> =>
  anyMatches(
    columns.map((column) => sql.ref(column)),
    containing(text).slice(1),
  );

/** The moment at which a day (YYYY-MM-DD) of the shop begins, or `daysLater` days after it. */
export const startOfDay = (day: string, daysLater = 0): RawBuilder<Date> =>
  sql<Date>`((${day}::date + ${sql.lit(daysLater)})::timestamp AT TIME ZONE ${sql.lit(SHOP_TIME_ZONE)})`;

/** The condition that a moment lies on one of these days, both included; open where one is left out. */
export function onDays(
  column: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): RawBuilder<SqlBool> {
  const moment = sql.ref(column);
  const start = from === undefined ? sql`'-infinity'` : startOfDay(from);
  const end = to === undefined ? sql`'infinity'` : startOfDay(to, 1);
  return sql<SqlBool>`(${moment} >= ${start} AND ${moment} < ${end})`;
}
