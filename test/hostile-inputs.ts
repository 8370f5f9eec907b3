import * as z from 'zod/mini';
import type { NamedEndpoint } from '../src/shared/endpoint.ts';

/** Texts that break code that does not expect them. */
export const hostileTexts: Record<string, string> = {
  SQL: `x'); DROP TABLE orders; --`,
  NUL: 'nul\u0000byte',
  'half a character': 'half \ud83d',
  'the other half': '\udc00 half',
  'marks of direction': 'a\u202Egnp.exe\u2066\u200F',
  'ten thousand emoji': '🎮'.repeat(10_000),
  'line breaks': 'a\r\nBcc: thief@example.com\r\n\r\nb',
  'a line separator': 'a\u2028b',
  markup: `--></title></script><img src=x onerror="window.hacked=1">'`,
  'a formula': '=HYPERLINK("https://thief.example.com";"x")',
  'a template': '{{7*7}}#{7*7}%s$1$&__proto__',
  wildcards: '%_\\',
  'colours of a terminal': '\u001b[31mred\u0007',
};

/** Values that no text field of JSON accepts. */
export const noTexts: Record<string, unknown> = { 'a list': ['x'], 'an object': { $gt: '', toString: 1 }, true: true };

/** Values that no number field of JSON accepts. */
export const noNumbers: Record<string, unknown> = {
  'a text': '10',
  'a list': [1],
  'an object': { valueOf: 1 },
  true: true,
  'beyond all': 1e308,
};

export type Part = 'params' | 'query' | 'body';

/** A text or a number in the input of an endpoint. */
export interface Field {
  part: Part;
  /** For example `['orderItems', 0, 'name']`. */
  path: (string | number)[];
  type: 'text' | 'number';
}

/** An input that passes validation unchanged. */
export type Input = { [P in Part]?: Record<string, unknown> | undefined };

interface JsonSchema {
  type?: string;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
}

/** Returns every text and number that an endpoint takes, read from its schemas. */
export function fieldsOf(endpoint: NamedEndpoint): Field[] {
  const found = new Map<string, Field>();
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = endpoint[part];
    if (!schema) continue;
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    for (const { path, type } of leavesOf(json)) found.set(`${part}.${path.join('.')}`, { part, path, type });
  }
  return [...found.values()];
}

function leavesOf(schema: JsonSchema, path: Field['path'] = []): Omit<Field, 'part'>[] {
  const { type, anyOf = [], items, properties = {} } = schema;
  if (type === 'string') return [{ path, type: 'text' }];
  if (type === 'number' || type === 'integer') return [{ path, type: 'number' }];
  return [
    ...anyOf.flatMap((one) => leavesOf(one, path)),
    ...(items ? leavesOf(items, [...path, 0]) : []),
    ...Object.entries(properties).flatMap(([name, one]) => leavesOf(one, [...path, name])),
  ];
}

/** Returns the input with another value in one place. */
export function withValue(input: Input, { part, path }: Field, value: unknown): Input {
  const { params, query, body } = input;
  const changed: Input = structuredClone({ params, query, body });
  changed[part] ??= {};
  let parent = changed[part] as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) {
    parent[key] ??= {};
    parent = parent[key] as typeof parent;
  }
  parent[path.at(-1) ?? ''] = value;
  return changed;
}

/**
 * Encodes a value as an attacker would: encodeURIComponent() rejects half a character, so its bytes are sent. String()
 * throws for an object whose `toString` is no function.
 */
const encode = (value: unknown): string => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : text.replace(/[\ud800-\udfff]/g, '%ED%A0%80').replaceAll(' ', '%20');
};

/** Returns the URL path of a call with its parameters, each cut to 8,000 characters. */
export function addressOf({ path }: NamedEndpoint, { params = {}, query = {} }: Input): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encode(params[name]).slice(0, 8_000));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? [...value, ...value] : [value]).map((one) => `${name}=${encode(one).slice(0, 8_000)}`),
  );
  return `/api${filled}${pairs.length ? `?${pairs.join('&')}` : ''}`;
}
