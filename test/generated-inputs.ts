import fc, { type Arbitrary } from 'fast-check';
import * as z from 'zod/mini';
import type { NamedEndpoint } from '../src/shared/endpoint.ts';
import { hostileTexts, type Input } from './hostile-inputs.ts';

export interface JsonSchema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

/** Values that get further than generated ones: ids of existing rows, correct passwords. */
export interface KnownValues {
  ids: string[];
  texts: string[];
}

const MOST_TEXT = 300;
const MOST_ITEMS = 4;

/** Generates inputs of an endpoint: most are valid by its schemas, the others have one part broken. */
export function inputsOf(endpoint: NamedEndpoint, known: KnownValues): Arbitrary<Input> {
  const parts = (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = endpoint[part];
    if (!schema) return [];
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    const right = valuesOf(json, known);
    const broken = fc.tuple(right, fc.nat(), wrongValues).map(([value, at, wrong]) => withWrong(value, at, wrong));
    const whole = part === 'body' ? [{ weight: 1, arbitrary: wrongValues }] : [];
    return [[part, fc.oneof({ weight: 5, arbitrary: right }, { weight: 3, arbitrary: broken }, ...whole)] as const];
  });
  return fc.record(Object.fromEntries(parts)) as Arbitrary<Input>;
}

function valuesOf(schema: JsonSchema, known: KnownValues): Arbitrary<unknown> {
  const { type, anyOf = schema.oneOf, items = {}, properties = {}, required = [] } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (anyOf) return fc.oneof(...anyOf.map((one) => valuesOf(one, known)));
  if (type === 'string') return textsOf(schema, known);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'integer' || type === 'number') {
    const [min, max] = [schema.minimum ?? -10, schema.maximum ?? 1_000_000];
    const integers = fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
    const small = integers.map((value) => Math.min(max, Math.max(min, value % 10)));
    return type === 'integer'
      ? fc.oneof(small, integers)
      : fc.oneof(
          small,
          integers,
          small.map((n) => n + 0.25),
        );
  }
  if (type === 'array') {
    const maxLength = Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS);
    return fc.array(valuesOf(items, known), { minLength: Math.min(schema.minItems ?? 0, maxLength), maxLength });
  }
  if (type === 'object') {
    const fields = Object.entries(properties).map(([name, one]) => [name, valuesOf(one, known)]);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
  }
  return fc.jsonValue({ maxDepth: 1 });
}

function textsOf({ format, pattern, minLength = 0, maxLength = MOST_TEXT }: JsonSchema, known: KnownValues) {
  if (format === 'uuid') return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known.ids) }, fc.uuid());
  if (format === 'email') return fc.constantFrom('fuzz@example.com', 'FUZZ+1@example.com', 'a@b.example');
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const isMatch = (value: string) => pattern === undefined || new RegExp(pattern, 'u').test(value);
  // fast-check cannot generate from `\b`, so it is removed from the pattern.
  if (pattern !== undefined && !isMatch('Any text, é'))
    return fc.stringMatching(new RegExp(pattern.replaceAll('\\b', '')));
  const most = Math.min(maxLength, MOST_TEXT);
  const texts = fc.oneof(
    fc.constantFrom(...known.texts),
    fc.string({ minLength: Math.min(minLength, most), maxLength: most, unit: 'grapheme' }),
  );
  return texts.filter(isMatch);
}

const wrongValues: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...Object.values(hostileTexts)),
  fc.constantFrom<unknown>('', null, true, -1, 0.5, 1e308, 2 ** 53, [], {}, [[[]]], { $gt: '' }, { length: 9 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Returns the value with one of its places, chosen by `at`, replaced by `wrong`. */
function withWrong(value: unknown, at: number, wrong: unknown): unknown {
  if (typeof value !== 'object' || value === null) return wrong;
  const copy = structuredClone(value) as Record<string, unknown>;
  const names = [...Object.keys(copy), 'extra'];
  const name = names[at % names.length] ?? '';
  copy[name] = at % 3 === 0 ? withWrong(copy[name], Math.floor(at / names.length), wrong) : wrong;
  return copy;
}
