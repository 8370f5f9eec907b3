import { Ajv } from 'ajv';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { endpoints } from '../../src/shared/api.ts';
import type { JsonSchema } from '../generated-inputs.ts';
import { openTestShop } from '../test-shop.ts';

type Path = (string | number)[];
type Documented = Record<string, { requestBody?: { content: Record<string, { schema: JsonSchema }> } }>;

let paths: Record<string, Documented>;
const shop = await openTestShop();
beforeAll(async () => {
  ({ paths } = await (await fetch(`${shop.url}/api/docs/json`)).json());
});

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

describe('at and beyond its limits, a value is valid by the documentation if the server accepts it, in', () => {
  const withBody = endpoints.flatMap(({ name, method, path, body }) => (body ? [{ name, method, path, body }] : []));

  it.each(withBody)('$name', ({ method, path, body }) => {
    const call = paths[`/api${path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()];
    const schema = call?.requestBody?.content['application/json']?.schema ?? {};
    const validate = ajv.compile(schema);
    for (const { input, place, value } of (schema.anyOf ?? [schema]).flatMap(inputsAtLimits)) {
      validate(input);
      const documented = !validate.errors?.some(({ instancePath }) => instancePath === place);
      const accepted = !placesOfIssues(body.safeParse(input).error?.issues ?? []).includes(place);
      const shown = JSON.stringify(value).slice(0, 40);
      expect(`${place} ${shown}: ${documented}`).toBe(`${place} ${shown}: ${accepted}`);
    }
  });
});

/** Returns inputs of a call, in each of which one value is at or beyond a limit. */
function inputsAtLimits(schema: JsonSchema) {
  return placesOf(schema).flatMap(({ path, at }) =>
    valuesOf(at).map((value) => {
      const input = exampleOf(schema) as Record<string | number, unknown>;
      const parent = path.slice(0, -1).reduce((one, key) => one[key] as typeof input, input);
      parent[path.at(-1) ?? ''] = value;
      return { input, place: path.map((key) => `/${key}`).join(''), value };
    }),
  );
}

function placesOf(schema: JsonSchema, path: Path = []): { path: Path; at: JsonSchema }[] {
  const { properties = {}, items } = schema;
  return [
    ...(schema.type === 'object' ? [] : [{ path, at: schema }]),
    ...(items ? placesOf(items, [...path, 0]) : []),
    ...Object.entries(properties).flatMap(([name, one]) => placesOf(one, [...path, name])),
  ];
}

const TEXTS = ['', 'x', 'two\nlines', 'two\u2028lines', ' one line\n'];

function valuesOf({ type, items = {}, ...limits }: JsonSchema): unknown[] {
  if (type === 'string') {
    const { minLength = 0, maxLength = 0 } = limits;
    const lengths = [Math.max(0, minLength - 1), minLength, maxLength, maxLength + 1];
    return [...TEXTS, ...lengths.map((length) => 'q7'.repeat(length).slice(0, length))];
  }
  if (type === 'array') {
    const { minItems = 0, maxItems = 0 } = limits;
    const item = JSON.stringify(exampleOf(items));
    // Different items, because the labels of fields must differ.
    const itemAt = (index: number) => JSON.parse(item.replaceAll('q7', `q${index}`));
    return [0, minItems, maxItems, maxItems + 1].map((length) => Array.from({ length }, (_, index) => itemAt(index)));
  }
  const { minimum = 0, maximum = 0 } = limits;
  return type === 'boolean' ? [] : [minimum - 1, minimum, maximum, maximum + 1].filter(Number.isFinite);
}

const examplesOfPatterns = new Map<string, string>();

function exampleOfPattern(pattern: string): string {
  const known = examplesOfPatterns.get(pattern);
  const [example = ''] = known ? [known] : fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 1, numRuns: 1 });
  examplesOfPatterns.set(pattern, example);
  return example;
}

function exampleOf({ type, format, pattern, items = {}, properties = {}, ...limits }: JsonSchema): unknown {
  if (limits.enum) return limits.enum[0];
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, exampleOf(one)]));
  }
  if (type === 'array') return Array.from({ length: Math.max(1, limits.minItems ?? 0) }, () => exampleOf(items));
  // The greatest number, because an offer must not be above the price.
  if (type !== 'string') return type === 'boolean' ? true : (limits.maximum ?? 1);
  if (format === 'date-time') return '2026-03-01T00:00:00Z';
  if (pattern?.includes('@')) return 'q7@example.com';
  if (pattern && !new RegExp(pattern).test('q7')) return exampleOfPattern(pattern);
  return 'q7'.repeat(limits.minLength ?? 1);
}

/** Returns the places of issues, also in the members of unions. */
function placesOfIssues(issues: z.core.$ZodIssue[], path: PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const whole = [...path, ...issue.path];
    const inner = issue.code === 'invalid_union' ? issue.errors.flatMap((errors) => placesOfIssues(errors, whole)) : [];
    return [whole.map((key) => `/${String(key)}`).join(''), ...inner];
  });
}
