import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Counted, FIRST_PAGE, MOST_COUNTED } from '../../../shared/paging.ts';
import { decodeNewestCursor, encodeCursor } from './cursor.ts';
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
