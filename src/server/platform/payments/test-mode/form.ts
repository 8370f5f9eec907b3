import { invalidRequest } from './provider-problem.ts';

/** The fields of a query or a form-encoded body by their literal names, as in `metadata[order_id]`. */
export type Form = ReadonlyMap<string, string>;

export function parseForm(encoded: string): Form {
  return new Map(new URLSearchParams(encoded));
}

export function requiredField(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === '') {
    throw invalidRequest(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
  }
  return value;
}

export function optionalField(form: Form, name: string): string | undefined {
  return form.get(name) || undefined;
}

/** A positive integer that fits PostgreSQL's. */
export function integerField(form: Form, name: string, limits: { min: number; max: number }): number {
  const text = requiredField(form, name);
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= limits.min && value <= limits.max) return value;
  throw invalidRequest(`${name} must be an integer from ${limits.min} to ${limits.max}.`, {
    code: 'parameter_invalid_integer',
    param: name,
  });
}

/** `metadata[name]=value` pairs as an object. */
export function metadataOf(form: Form): Record<string, string> {
  const pairs = [...form].flatMap(([name, value]) => {
    const key = /^metadata\[([^\]]{1,40})\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** Refuses fields that this provider would ignore, lest a caller believes that they work. */
export function refuseUnknownFields(form: Form, known: readonly string[]): void {
  for (const name of form.keys()) {
    if (known.includes(name.replace(/\[.*$/s, '[]')) || known.includes(name)) continue;
    throw invalidRequest(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name });
  }
}

const DEFAULT_PAGE = 10;
const LARGEST_PAGE = 100;

/** Which part of a list is asked for, as in every list of Stripe's. */
export function pageOf(form: Form): {
  createdSince: Date | undefined;
  after: string | undefined;
  limit: number;
} {
  const since =
    form.has('created[gte]') && integerField(form, 'created[gte]', { min: 0, max: 9_999_999_999 });
  return {
    createdSince: since === false ? undefined : new Date(since * 1000),
    after: optionalField(form, 'starting_after'),
    limit: form.has('limit') ? integerField(form, 'limit', { min: 1, max: LARGEST_PAGE }) : DEFAULT_PAGE,
  };
}
