import * as z from 'zod/mini';
import type { NamedEndpoint } from '../src/shared/endpoint.ts';

/** Text that breaks what does not expect it. */
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

/** What no field of JSON takes for a text. */
export const noTexts: Record<string, unknown> = { 'a list': ['x'], 'an object': { $gt: '', toString: 1 }, true: true };

/** The same for a number. */
export const noNumbers: Record<string, unknown> = {
  'a text': '10',
  'a list': [1],
  'an object': { valueOf: 1 },
  true: true,
  'beyond all': 1e308,
};

export type Part = 'params' | 'query' | 'body';

/** A place for a text or a number in what an endpoint takes. */
export interface Field {
  part: Part;
  /** As in `['orderItems', 0, 'name']`. */
  path: (string | number)[];
  type: 'text' | 'number';
}

/** A call that gets past validation as it is. */
export type Input = { [P in Part]?: Record<string, unknown> | undefined };

interface JsonSchema {
  type?: string;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
}

/** Every text and number that an endpoint takes, read from its schemas. */
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

/** The same call with another value in one place. */
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

/** As a browser of no good will would write it: half a character has no percent-encoding, but its bytes have. */
const encode = (value: unknown): string => {
  const text = String(value);
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : text.replace(/[\ud800-\udfff]/g, '%ED%A0%80').replaceAll(' ', '%20');
};

/** The address of a call with its parameters. */
export function addressOf({ path }: NamedEndpoint, { params = {}, query = {} }: Input): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encode(params[name]).slice(0, 8_000));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? [...value, ...value] : [value]).map((one) => `${name}=${encode(one).slice(0, 8_000)}`),
  );
  return `/api${filled}${pairs.length ? `?${pairs.join('&')}` : ''}`;
}
