import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { NamedEndpoint } from '../../shared/endpoint.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallPolicy } from '../platform/http/route.ts';
import { demoAccounts } from './make-demo-data.ts';

const HIDDEN = '•••';
const PERSONAL_FIELDS = new Set([
  ...['email', 'guestEmail', 'contactEmail', 'guestName', 'customer', 'recipient', 'actor', 'phone'],
  ...['ip', 'userAgent', 'street', 'city', 'zipCode', 'state', 'cancelReason', 'refundReason', 'reason'],
  // The conversation of a problem report, and its picture.
  ...['blockReason', 'message', 'webp'],
]);
const EMAIL_IN_TEXT = /[^\s@<>"“”]+@[^\s@<>"“”]+/g;
// What the holder of a shared account must not change for the others.
const ACCOUNT_CALL = /^\/(auth\/(?!logout$|reauthenticate$)|my-reviews\/)/;

/**
 * The rules of a demo that strangers reach (DEMO=public). Its accounts are shared: nobody can change them, its administrator
 * can only look, and personal data is shown to their holders only where it is the demo's own; `demoTexts` has all of that.
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

    // A search for other people would tell by its results what is hidden in them.
    narrowSearch(endpoint, query) {
      const { q } = query as { q?: string };
      if (!q || endpoint.access !== 'admin' || searchable.includes(q.toLowerCase())) return query;
      if (!listsPeople.has(endpoint)) listsPeople.set(endpoint, hasPeople(endpoint));
      return listsPeople.get(endpoint) ? { ...query, q: randomUUID() } : query;
    },

    present: (endpoint, viewer, answer) =>
      endpoint.access === 'admin' || (viewer && shared.has(viewer.email)) ? maskPeople(answer) : answer,

    maskPeople,
  };

  /** A copy without the personal fields, nor their values and any other e-mail address inside of sentences. */
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

/** A copy of an answer with every text that is a field's replaced, however deep. */
function mapTexts<T>(value: T, replace: (content: string, field: string, parent: object) => string): T {
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, replace)) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([field, content]) => [
    field,
    typeof content === 'string' ? replace(content, field, value) : mapTexts(content, replace),
  ]);
  return Object.fromEntries(entries);
}

/** A name is a person's beside an e-mail address, and a state is a part of an address beside a street. */
function isPersonal(field: string, parent: object): boolean {
  if (field === 'name') return 'email' in parent;
  if (field === 'state') return 'street' in parent;
  // What the checkout asked a buyer.
  if (field === 'value') return 'label' in parent;
  // What somebody wrote in a review that nobody has published.
  if (field === 'title' || field === 'text') return 'stars' in parent;
  return PERSONAL_FIELDS.has(field);
}

function hasPeople({ output }: NamedEndpoint): boolean {
  return /"(email|actor|recipient)":/.test(JSON.stringify(z.toJSONSchema(output, { unrepresentable: 'any' })));
}
