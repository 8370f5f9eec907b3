import { createHash } from 'node:crypto';

// Each is kept by every connection, so statements of endless variety (lists of many lengths) must not pile up.
const MAX_STATEMENTS = 300;

/**
 * `select *` or `returning *`: prepared, it fails in a running process as soon as a newer one adds a column. In
 * parentheses a star does no harm, as the columns that come out are named around it.
 */
function answersStar(text: string): boolean {
  const outer = text.replaceAll(/\([^()]*\)/g, '');
  // Elsewhere than in a list of columns it multiplies.
  const star = /(\b(select|distinct|returning)|,)\s*\*|\.\*/i;
  return outer === text ? star.test(text) : answersStar(outer);
}

// Planned for its own words each time: one plan for all would walk through everything to find the few with a rare name.
const isSearch = (text: string) => /\bilike\b/i.test(text);

/**
 * Names under which a connection prepares statements, once each. PostgreSQL otherwise parses and plans them anew each
 * time: for the money path's larger statements that is more work than carrying them out. A name is made of the text,
 * because a pooler hands one connection of the server to several processes: the same name means the same statement in
 * all of them (docs/decisions/0011-prepared-statements.md).
 */
export function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string | undefined>();

  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.has(text)) return known;
    if (names.size >= MAX_STATEMENTS) return undefined;
    const name = answersStar(text) || isSearch(text) ? undefined : nameFor(text);
    names.set(text, name);
    return name;
  };
}

const nameFor = (text: string) => `kedai_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
