import { type RawBuilder, type SqlBool, sql } from 'kysely';

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
