import { timingSafeEqual } from 'node:crypto';
import type { Intent, Keys, Page, Store, StoredEvent } from './store.ts';
import { intentObject, invalidRequest, publicIntentObject, type RequestRefused } from './stripe-objects.ts';

/** Dependencies of the endpoints. */
export interface Provider {
  store: Store;
  clock: { now(): Date };
  keys: Keys;
  /** Intents as this process read or wrote them last; another process may have changed them since. */
  lastSeen: Map<string, Intent>;
  /** Called after each commit that wrote an event. */
  eventWritten: (event: StoredEvent) => void;
}

/** One authenticated request. */
export interface Call {
  requestId: string;
  /**
   * The kind of key in the request: a server's secret key, or a browser's publishable key, with which the client secret
   * is required.
   */
  caller: 'secret' | 'publishable';
  /** The id in the path; empty where there is none. */
  id: string;
  form: Form;
  idempotency: { key: string; requestHash: Buffer } | undefined;
}

export interface ProviderResponse {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export type Endpoint = (provider: Provider, call: Call) => Promise<ProviderResponse>;

export const ok = (object: object): ProviderResponse => ({ status: 200, body: JSON.stringify(object), headers: {} });

export const refusal = ({ status, details }: RequestRefused, intent?: object): ProviderResponse => ({
  status,
  body: JSON.stringify({ error: { ...details, payment_intent: intent } }),
  headers: {},
});

/** Returns the intent as this caller may see it. */
export const intentFor = (call: Call, intent: Intent): object =>
  call.caller === 'secret' ? intentObject(intent) : publicIntentObject(intent);

/** Compares in constant time, so that response times do not tell how much of a guess is right. */
export function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The fields of a query or a form-encoded body by their literal names, as in `metadata[order_id]`. */
export type Form = ReadonlyMap<string, string>;

export const parseForm = (encoded: string): Form => new Map(new URLSearchParams(encoded));

export function requiredField(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === '') {
    throw invalidRequest(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
  }
  return value;
}

export const optionalField = (form: Form, name: string): string | undefined => form.get(name) || undefined;

function integerField(form: Form, name: string, limits: { min: number; max: number }): number {
  const text = requiredField(form, name);
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= limits.min && value <= limits.max) return value;
  throw invalidRequest(`${name} must be an integer from ${limits.min} to ${limits.max}.`, {
    code: 'parameter_invalid_integer',
    param: name,
  });
}

const LARGEST_AMOUNT_CENTS = 99_999_999;

export const amountField = (form: Form): number => integerField(form, 'amount', { min: 1, max: LARGEST_AMOUNT_CENTS });

/** `metadata[name]=value` pairs as an object, within Stripe's limits. */
export function metadataOf(form: Form): Record<string, string> {
  const pairs = [...form].flatMap(([name, value]) => {
    const key = /^metadata\[([^\]]+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  if (pairs.length > 50 || pairs.some(([key, value]) => key.length > 40 || value.length > 500)) {
    throw invalidRequest('Metadata has at most 50 values of 500 characters, under names of 40.', { param: 'metadata' });
  }
  return Object.fromEntries(pairs);
}

/** Refuses fields that this provider would ignore, so that no caller believes that they work. */
export function refuseUnknownFields(form: Form, known: readonly string[]): void {
  for (const name of form.keys()) {
    if (known.includes(name.replace(/\[.*$/s, '[]')) || known.includes(name)) continue;
    throw invalidRequest(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name });
  }
}

const DEFAULT_PAGE = 10;
const LARGEST_PAGE = 100;

/** The page parameters that all of Stripe's lists have. */
export function pageOf(form: Form): Page {
  const createdSince = form.has('created[gte]')
    ? new Date(integerField(form, 'created[gte]', { min: 0, max: 9_999_999_999 }) * 1000)
    : undefined;
  return {
    createdSince,
    after: optionalField(form, 'starting_after'),
    limit: form.has('limit') ? integerField(form, 'limit', { min: 1, max: LARGEST_PAGE }) : DEFAULT_PAGE,
  };
}
