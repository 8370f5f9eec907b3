import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { NamedEndpoint } from '../../shared/endpoint.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallPolicy } from '../platform/http/route.ts';
import { demoAccounts } from './make-demo-data.ts';

const HIDDEN = '•••';
const PERSONAL_FIELDS = new Set([
  ...['email', 'guestEmail', 'contactEmail', 'guestName', 'contactName', 'customer', 'recipient', 'actor', 'author'],
  ...['phone', 'ip', 'userAgent', 'street', 'city', 'zipCode', 'state', 'cancelReason', 'refundReason'],
  // `message` and `webp`: the conversation of a problem report, and its picture.
  ...['reason', 'blockReason', 'message', 'webp'],
]);
// Matches only from the beginning of a word; otherwise the time would be quadratic in the length of a word.
const EMAIL_IN_TEXT = /(?<![^\s@<>"“”])[^\s@<>"“”]+@[^\s@<>"“”]+/g;
// Calls that would change a shared account for its other users.
const ACCOUNT_CALL = /^\/(auth\/(?!logout$|reauthenticate$)|my-reviews\/)/;

/**
 * Creates the rules of a public demo (DEMO=public). Its accounts are shared: nobody can change them, the administrator
 * can only read, and personal data is shown only if it belongs to the demo itself (`demoTexts`).
 */
export function createPublicDemo(demoTexts: ReadonlySet<string>): CallPolicy {
  const shared = new Set(demoAccounts.map(({ email }) => email));
  const searchable = [...demoTexts].join('\n').toLowerCase();
  const listsPeople = new Map<NamedEndpoint, boolean>();

  return {
    assertAllowed(endpoint, viewer) {
      if (endpoint.method === 'GET') return;
      if (endpoint.access === 'admin')
        throw new AppError('FORBIDDEN', 'The dashboard of this public demo is read-only');
      if (endpoint.access === 'customer' && shared.has(viewer?.email ?? '') && ACCOUNT_CALL.test(endpoint.path))
        throw new AppError('FORBIDDEN', 'This account is shared by all visitors of this public demo');
    },

    // The results of a search for other people would reveal their hidden fields. Even the number of results or pages
    // would reveal a result that was left out.
    narrowSearch(endpoint, query) {
      const { limit: _, cursor: __, ...search } = query as { q?: string; limit?: number; cursor?: string };
      if (!isSearchOfPeople(endpoint, search)) return query;
      return searchable.includes(search.q.toLowerCase()) ? search : { ...search, q: randomUUID() };
    },

    present(endpoint, viewer, query, answer) {
      if (endpoint.access !== 'admin' && !(viewer && shared.has(viewer.email))) return answer;
      const masked = maskPeople(answer);
      return isSearchOfPeople(endpoint, query) ? withoutHidden(masked) : masked;
    },

    maskPeople,
  };

  function isSearchOfPeople(endpoint: NamedEndpoint, query: { q?: string }): query is { q: string } {
    if (!query.q || endpoint.access !== 'admin') return false;
    if (!listsPeople.has(endpoint)) listsPeople.set(endpoint, hasPeople(endpoint));
    return listsPeople.get(endpoint) === true;
  }

  /**
   * Returns a copy with the personal fields hidden. In sentences, their values and all e-mail addresses except the
   * demo's are hidden, too.
   */
  function maskPeople<T>(answer: T): T {
    const hidden = new Set<string>();
    const masked = mapTexts(answer, (content, field, parent) => {
      if (!isPersonal(field, parent) || content === '' || demoTexts.has(content)) return content;
      hidden.add(content);
      return HIDDEN;
    });
    return mapTexts(masked, (content, field) =>
      field === 'text' || field === 'summary' ? hideIn(content, hidden) : content,
    );
  }

  function hideIn(text: string, hidden: Set<string>): string {
    const without = [...hidden].reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
    return without.replace(EMAIL_IN_TEXT, (email) => (demoTexts.has(email) ? email : HIDDEN));
  }
}

/** Leaves out results with hidden fields, because repeated searches for parts of a text would reveal these fields. */
function withoutHidden<T extends object>(answer: T): T {
  const { data } = answer as { data?: unknown };
  if (!Array.isArray(data)) return answer;
  const shown = data.filter((row) => !JSON.stringify(row).includes(HIDDEN));
  return { ...answer, data: shown, nextCursor: null, total: shown.length, hasUncounted: false };
}

/** Returns a copy with every text that is the value of a field replaced, at any depth. Texts in an array stay. */
function mapTexts<T>(value: T, replace: (content: string, field: string, parent: object) => string): T {
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, replace)) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([field, content]) => [
    field,
    typeof content === 'string' ? replace(content, field, value) : mapTexts(content, replace),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Whether a field is personal. `name` is a person's name if the object has an e-mail, and `state` is part of an address
 * if the object has a street.
 */
function isPersonal(field: string, parent: object): boolean {
  if (field === 'name') return 'email' in parent;
  if (field === 'state') return 'street' in parent;
  // A buyer's answer to a field of the checkout.
  if (field === 'value') return 'label' in parent;
  // The title and the text of a review.
  if (field === 'title' || field === 'text') return 'stars' in parent;
  return PERSONAL_FIELDS.has(field);
}

function hasPeople({ output }: NamedEndpoint): boolean {
  return /"(email|actor|recipient)":/.test(JSON.stringify(z.toJSONSchema(output, { unrepresentable: 'any' })));
}
