import { Ajv } from 'ajv';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { endpoints } from '../../src/shared/api.ts';
import type { NamedEndpoint } from '../../src/shared/endpoint.ts';
import { makeParcel, makePhysicalProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { inputsOf, type KnownValues } from '../generated-inputs.ts';
import { addressOf, type Input } from '../hostile-inputs.ts';
import { createShopper } from '../shopper.ts';
import { newTokenOf } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';

// FUZZ_SEED=$RANDOM FUZZ_RUNS=200 goes further than the fixed inputs of every run.
const seed = Number(process.env['FUZZ_SEED'] ?? 11);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 10);

/** The parts of a call's description with a body, and the media types of that body. */
interface DocumentedCall {
  requestBody?: Described;
  responses: Record<string, Described>;
}
interface Described {
  content?: Record<string, { schema: object }>;
}
const JSON_TYPE = 'application/json';
const mediaTypesOf = (described: Described | undefined) => Object.keys(described?.content ?? {});

type Visitor = 'nobody' | 'customer' | 'admin';

let users: Record<Exclude<Visitor, 'nobody'>, UserRow>;
let known: KnownValues;
/** The calls in the API description, by path and method. */
let documented: Record<string, Record<string, DocumentedCall>>;
/** Validates responses against the schemas in the API description. */
const ajv = new Ajv({ strict: false, validateFormats: false });
const documentedPath = ({ path }: NamedEndpoint) => `/api${path.replaceAll(/:(\w+)/g, '{$1}')}`;
const documentedCall = (endpoint: NamedEndpoint) =>
  documented[documentedPath(endpoint)]?.[endpoint.method.toLowerCase()];
const shop = await openTestShop();
beforeAll(async () => {
  const { deps, url } = shop;
  users = { customer: await makeUser(deps), admin: await makeUser(deps, { role: 'admin' }) };
  const other = await makeUser(deps);
  const product = await makeProduct(deps, { items: 50 });
  const buyer = createShopper(url);
  buyer.setToken(await tokenOf('customer'));
  const cart = [{ product, quantity: 1 }];
  const { orderId, intentId, place } = await buyer.authorise(cart);
  expect((await place()).status).toBe(201);
  const items = await deps.db.selectFrom('items').select('id').limit(3).execute();
  const parcel = await makeParcel(deps, { user_id: users.customer.id });
  known = {
    // Without the fuzzing administrator, who would take away their own role.
    ids: [product.id, orderId, other.id, await makePhysicalProduct(deps), parcel, ...items.map(({ id }) => id)],
    texts: [TEST_PASSWORD, intentId, '123456', 'Game Keys', '2026-01-31', '20'],
  };
  const description = await (await fetch(`${url}/api/docs/json`)).json();
  documented = description.paths;
  ajv.addSchema(description, 'description');
});

async function tokenOf(visitor: Visitor): Promise<string | undefined> {
  if (visitor === 'nobody') return undefined;
  return newTokenOf(shop.deps, users[visitor]);
}

/** Sends the input, or the bytes, which are no JSON, in place of its body; returns the answer. */
async function answerTo(endpoint: NamedEndpoint, visitor: Visitor, input: Input, bytes: string | undefined) {
  const token = await tokenOf(visitor);
  const [mediaType = JSON_TYPE] = endpoint.upload ?? [];
  const body = endpoint.method === 'GET' ? undefined : (bytes ?? JSON.stringify(input.body));
  return fetch(`${shop.url}${addressOf(endpoint, input)}`, {
    method: endpoint.method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': mediaType }),
    },
    ...(body !== undefined && { body }),
  });
}

/** Returns what the API description says against the body of a JSON answer; an empty string if it says nothing. */
function differenceOf(endpoint: NamedEndpoint, status: number, body: unknown): string {
  const parts = ['paths', documentedPath(endpoint), endpoint.method.toLowerCase(), 'responses', String(status)];
  const pointer = [...parts, 'content', JSON_TYPE, 'schema'].map((part) => part.replaceAll('/', '~1')).join('/');
  const isAsDocumented = ajv.compile({ $ref: `description#/${pointer}` });
  return isAsDocumented(body) ? '' : ajv.errorsText(isAsDocumented.errors);
}

describe('for any input and any caller, a call answers as documented, and never with 5xx', () => {
  it.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))('%s', async (_name, endpoint) => {
    const { responses = {} } = documentedCall(endpoint) ?? {};
    const bytes = fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      fc.string({ maxLength: 200, unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(
        // An anonymous visitor does not get past the guard of most calls, so it is drawn least often.
        fc.constantFrom('nobody', 'customer', 'customer', 'admin', 'admin'),
        inputsOf(endpoint, known),
        bytes,
        async (visitor, input, raw) => {
          const answer = await answerTo(endpoint, visitor, input, raw);
          const { status } = answer;
          // A report that is not read to its end keeps its slot.
          const content = await answer.text();
          const type = answer.headers.get('content-type')?.split(';')[0];
          expect(status).toBeLessThan(500);
          expect(Object.keys(responses)).toContain(String(status));
          expect(mediaTypesOf(responses[status])).toEqual([type]);
          if (type === JSON_TYPE) expect(differenceOf(endpoint, status, JSON.parse(content))).toBe('');
        },
      ),
      { seed, numRuns, endOnFailure: true },
    );
  });

  it('the documentation lists one success status and the errors of access, input and rate limits', async () => {
    const { responses } = documented['/api/admin/orders/{id}/refund']?.['post'] ?? { responses: {} };
    expect(Object.keys(responses).sort()).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '429',
      '500',
      '503',
    ]);
    expect(responses['409']).toMatchObject({ description: expect.stringContaining('REFUND_REFUSED') });
  });

  it('the documentation of an upload names the media types of its file', () => {
    const uploads = endpoints.filter(({ upload }) => upload);
    expect(uploads.length).toBeGreaterThan(0);
    for (const endpoint of uploads) {
      expect(mediaTypesOf(documentedCall(endpoint)?.requestBody)).toEqual(endpoint.upload);
    }
  });
});
