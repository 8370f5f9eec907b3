import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { buildApp } from '../../src/server/app.ts';
import { revokeSession } from '../../src/server/features/accounts/sessions.queries.ts';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { createReadiness } from '../../src/server/platform/http/health.ts';
import { noTracing } from '../../src/server/platform/tracing/tracing.ts';
import { endpoints } from '../../src/shared/api.ts';
import type { Shop } from '../../src/shared/content.ts';
import type { Access } from '../../src/shared/endpoint.ts';
import { makeUser } from '../factories.ts';
import { type Answer, createShopper } from '../shopper.ts';
import { newTokenOf } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';

const MISSING = '01900000-0000-7000-8000-000000000000';

const nobodies = ['nobody', 'malformed token', 'pending login', 'signed out'] as const;
const people = ['customer', 'other customer', 'admin'] as const;
type Caller = (typeof nobodies)[number] | (typeof people)[number];
type Verdict = 'let in' | 'asked who it is' | 'sent away' | 'nowhere' | `failed with ${number}`;

const all = <C extends Caller>(callers: readonly C[], verdict: Verdict) =>
  Object.fromEntries(callers.map((caller) => [caller, verdict]));

const expected: Record<Access, Partial<Record<Caller, Verdict>>> = {
  public: { ...all(nobodies, 'let in'), ...all(people, 'let in') },
  customer: { ...all(nobodies, 'asked who it is'), ...all(people, 'let in') },
  admin: { ...all(nobodies, 'asked who it is'), ...all(people, 'sent away'), admin: 'let in' },
};

// Routes outside the contract, and why they need no token.
const OUTSIDE_THE_CONTRACT = [
  // Signed by the payment provider.
  'POST /api/webhooks/stripe',
  // The contract itself, for readers.
  /^GET \/api\/docs(\/|\*|$)/,
];

let users: Record<(typeof people)[number], UserRow>;
const shop = await openTestShop();
beforeAll(async () => {
  users = {
    customer: await makeUser(shop.deps),
    'other customer': await makeUser(shop.deps),
    admin: await makeUser(shop.deps, { role: 'admin' }),
  };
});

/** Starts a new session for each call, since some of the calls end theirs. */
const signIn = (user: UserRow): Promise<string> => newTokenOf(shop.deps, user);

const tokenOf: Record<Caller, () => Promise<string | undefined>> = {
  nobody: async () => undefined,
  'malformed token': async () => 'e30.e30.e30',
  'pending login': () =>
    shop.deps.pendingTokens.sign({ pendingLoginId: uuidv7(), expiresAt: new Date(Date.now() + 300_000) }),
  'signed out': async () => {
    const token = await signIn(users.customer);
    const { sessionId } = await shop.deps.sessionTokens.verify(token);
    await revokeSession(shop.deps.db, sessionId, shop.deps.clock.now());
    return token;
  },
  customer: () => signIn(users.customer),
  'other customer': () => signIn(users['other customer']),
  admin: () => signIn(users.admin),
};

function verdictOf({ status, body }: Answer): Verdict {
  if (status >= 500) return `failed with ${status}`;
  if (status === 404 && body.message === 'There is nothing at this address') return 'nowhere';
  if (body.code === 'UNAUTHENTICATED') return 'asked who it is';
  return body.code === 'FORBIDDEN' ? 'sent away' : 'let in';
}

it.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s',
  async (_name, { method, path, access }) => {
    const verdicts: Partial<Record<Caller, Verdict>> = {};
    for (const caller of [...nobodies, ...people]) {
      const shopper = createShopper(shop.url);
      shopper.setToken(await tokenOf[caller]());
      const address = `/api${path.replaceAll(/:\w+/g, MISSING)}`;
      const answer = await shopper.send(method, address, method === 'GET' ? undefined : {});
      verdicts[caller] = verdictOf(answer);
    }
    expect(verdicts).toEqual(expected[access]);
  },
);

it('the contract matches the API routes of the server', async () => {
  const app = await buildApp(shop.deps, {
    shares: { accounts: shop.deps.db, opening: shop.deps.db },
    shop: (await createShopper(shop.url).get('/api/shop')).body.data as unknown as Shop,
    testMode: undefined,
    readiness: createReadiness({ checks: {}, log: shop.deps.log }),
    tracing: noTracing,
  });
  await app.ready();
  const answered = routesIn(app.printRoutes({ commonPrefix: false }));
  await app.close();

  const contract = endpoints.map(({ method, path }) => `${method} /api${path}`);
  expect(contract.filter((route) => !answered.includes(route))).toEqual([]);
  const others = answered.filter((route) => route.includes(' /api') && !contract.includes(route));
  const known = (route: string) =>
    OUTSIDE_THE_CONTRACT.some((entry) => (typeof entry === 'string' ? entry === route : entry.test(route)));
  expect(others.filter((route) => !known(route))).toEqual([]);
  expect(others).toContain('POST /api/webhooks/stripe');
});

/**
 * Lists the routes in Fastify's tree, which has a part of the path on each branch. HEAD is left out: it has GET's
 * routes.
 */
function routesIn(tree: string): string[] {
  const parts: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    parts.splice(indent.length / 4, Number.POSITIVE_INFINITY, part);
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${parts.join('')}`);
  });
}
