import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Counted } from '../../../shared/paging.ts';
import {
  type ListOfRows,
  nameOrEmailBegins,
  nameOrEmailContains,
  type PageStart,
  readCountedIds,
  readIds,
  rowsToRead,
} from './list-queries.ts';
import { type Database, rowOf } from './open-database.ts';

// A frequent word is found fast by scanning the first rows of a list, a rare word by the trigram indexes. Either method
// alone would read most of a million rows for some words, so the share of matches among the first rows decides.
const LOOKED_AT = 2_000;
/**
 * From this share of matches on, the first rows are scanned, which soon fills a page, and the matches are not counted
 * to the end.
 */
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
  q.length < 3 ? nameOrEmailBegins(columns, q) : nameOrEmailContains(columns, q);
