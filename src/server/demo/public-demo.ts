import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Endpoint } from '../../shared/endpoint.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallPolicy } from '../platform/http/call-policy.ts';
import { demoAccounts } from './make-demo-data.ts';

const HIDDEN = '•••';
const PERSONAL_FIELDS = new Set([
  ...['email', 'guestEmail', 'contactEmail', 'guestName', 'customer', 'recipient', 'actor', 'phone'],
  ...['ip', 'userAgent', 'street', 'city', 'zipCode', 'state', 'cancelReason', 'refundReason', 'reason'],
  ...['blockReason'],
]);
const EMAIL_IN_TEXT = /[^\s@<>"“”]+@[^\s@<>"“”]+/g;
// What the holder of a shared account must not change for the others.
const ACCOUNT_CALL = /^\/auth\/(?!logout$|reauthenticate$)/;

/**
 * The rules of a demo that strangers reach (DEMO=public). Its accounts are shared: nobody can change them, its administrator
 * can only look, and personal data is shown to their holders only where it is the demo's own; `demoTexts` has all of that.
 */
export function createPublicDemo(demoTexts: ReadonlySet<string>): CallPolicy {
  const shared = new Set(demoAccounts.map(({ email }) => email));
  const searchable = [...demoTexts].join('\n').toLowerCase();
  const listsPeople = new Map<Endpoint, boolean>();

  return {
    assertAllowed(endpoint, viewer) {
      if (endpoint.method === 'GET') return;
      if (endpoint.access === 'admin')
        throw new AppError('FORBIDDEN', 'The dashboard of this public demo is read-only');
      if (
        endpoint.access === 'customer' &&
        shared.has(viewer?.email ?? '') &&
        ACCOUNT_CALL.test(endpoint.path)
      )
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

  function maskPeople<T>(answer: T): T {
    const hidden = new Set<string>();
    const masked = masking(answer, hidden);
    return hideInTexts(masked, [...hidden]);
  }

  /** A copy without the personal fields, whose values it notes. */
  function masking<T>(value: T, hidden: Set<string>): T {
    if (Array.isArray(value)) return value.map((entry) => masking(entry, hidden)) as T;
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const entries = Object.entries(value).map(([field, content]) => {
      if (typeof content !== 'string') return [field, masking(content, hidden)];
      if (!isPersonal(field, value) || content === '' || demoTexts.has(content)) return [field, content];
      hidden.add(content);
      return [field, HIDDEN];
    });
    return Object.fromEntries(entries);
  }

  /** The same values, and every other e-mail address, inside of sentences. */
  function hideInTexts<T>(value: T, hidden: string[]): T {
    if (Array.isArray(value)) return value.map((entry) => hideInTexts(entry, hidden)) as T;
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const entries = Object.entries(value).map(([field, content]) => {
      if (typeof content !== 'string') return [field, hideInTexts(content, hidden)];
      return [field, field === 'text' || field === 'summary' ? hideIn(content, hidden) : content];
    });
    return Object.fromEntries(entries);
  }

  function hideIn(text: string, hidden: string[]): string {
    const without = hidden.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
    return without.replace(EMAIL_IN_TEXT, (email) => (demoTexts.has(email) ? email : HIDDEN));
  }
}

/** A name is a person's beside an e-mail address, and a state is a part of an address beside a street. */
function isPersonal(field: string, parent: object): boolean {
  if (field === 'name') return 'email' in parent;
  if (field === 'state') return 'street' in parent;
  return PERSONAL_FIELDS.has(field);
}

function hasPeople({ output }: Endpoint): boolean {
  return /"(email|actor|recipient)":/.test(
    JSON.stringify(z.toJSONSchema(output, { unrepresentable: 'any' })),
  );
}
