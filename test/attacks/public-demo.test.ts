import { beforeAll, describe, expect, it } from 'vitest';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { ConfigError } from '../../src/server/platform/system-errors.ts';
import { endpoints } from '../../src/shared/api.ts';
import { makeProduct } from '../factories.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { openTestShop, startTestShop } from '../test-shop.ts';

/** What one visitor types. No other visitor may read any of it. */
const visitor = {
  email: 'canary-7712@visitor.example',
  name: 'Canary Visitor',
  phone: '+60 19-771 2771',
  password: 'canary-password-7712',
  ip: '203.0.113.77',
};
const address = {
  street: '77 Canary Street',
  city: 'Canaryville',
  state: 'Canary State',
  zipCode: '77127',
  country: 'Malaysia',
};
const CANARY = /.{0,40}(?:canary|771 2771|203\.0\.113\.77|77127).{0,10}/gi;
const MISSING = '01900000-0000-7000-8000-000000000000';

let admin: Shopper;
let customer: Shopper;
/** Ids of the visitor's records. */
let ids: string[];

const from = (ip: string) => createShopper(shop.url, { from: ip });
const signedIn = async (index: number, ip: string): Promise<Shopper> => {
  const { email = '', password = '' } = demoAccounts[index] ?? {};
  const shopper = from(ip);
  expect((await shopper.signIn(email, password)).status).toBe(200);
  return shopper;
};

const shop = await openTestShop({
  settings: { DEMO: 'public', HOST: '127.0.0.1', PUBLIC_URL: 'https://demo.example', TRUST_PROXY: '1' },
});
beforeAll(async () => {
  const { db } = shop.deps;
  [customer, admin] = [await signedIn(0, '198.51.100.1'), await signedIn(1, '198.51.100.2')];

  const guest = from(visitor.ip);
  const product = await makeProduct(shop.deps);
  const { orderId } = await guest.buy([{ product, quantity: 1 }], visitor);
  const review = { stars: 1, title: 'A canary', text: 'canary of the first kind' };
  expect((await guest.send('PUT', `/api/my-reviews/${product.id}`, review)).status).toBe(200);

  // The same visitor also buys with the shared account, physical goods that are shipped.
  const shared = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', demoAccounts[0]?.email ?? '')
    .executeTakeFirstOrThrow();
  await signedIn(0, visitor.ip);
  await signedIn(1, visitor.ip);
  const { id: _, ...order } = await db
    .selectFrom('orders')
    .selectAll()
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow();
  const parcelId = '01900000-0000-7000-8000-000000000077';
  await db
    .insertInto('orders')
    .values({
      ...order,
      id: parcelId,
      type: 'physical',
      user_id: shared.id,
      guest: false,
      guest_name: visitor.name,
      payment_intent_id: 'pi_parcel',
      shipping_street: address.street,
      shipping_city: address.city,
      shipping_state: address.state,
      shipping_zip_code: address.zipCode,
      shipping_country: address.country,
      guest_phone: visitor.phone,
      created_at: shop.deps.clock.now(),
    } as never)
    .execute();
  const made = await db.selectFrom('users').select('id').where('email', '=', visitor.email).executeTakeFirstOrThrow();
  await db.updateTable('users').set({ phone: visitor.phone, name: visitor.name }).where('id', '=', made.id).execute();
  // What a buyer's fourth cancellation of a day writes.
  const note = { id: orderId, order_id: orderId, user_id: made.id, text: 'I would like to cancel this order.' };
  await db
    .insertInto('order_notes')
    .values({ ...note, created_at: shop.deps.clock.now() })
    .execute();
  ids = [orderId, parcelId, made.id, shared.id, MISSING];
});

const calls = endpoints.map((endpoint) => [endpoint.name, endpoint] as const);
const read = async (shopper: Shopper, path: string): Promise<string> => {
  const { body } = await shopper.get(path);
  return JSON.stringify(body);
};

describe('text that a visitor enters is not shown to other visitors', () => {
  it.each(calls.filter(([, { method, access }]) => method === 'GET' && access !== 'public'))(
    'in the response of %s to users of the shared accounts',
    async (_name, { path, access }) => {
      const shopper = access === 'admin' ? admin : customer;
      for (const id of path.includes(':') ? ids : ['']) {
        const asked = path.replaceAll(/:kind/g, 'orders').replaceAll(/:\w+/g, id);
        expect((await read(shopper, `/api${asked}`)).match(CANARY)).toBeNull();
      }
    },
  );

  it('in a report, which still contains the demo customers', async () => {
    const token = (await createShopper(shop.url).signIn(demoAccounts[1]?.email ?? '', demoAccounts[1]?.password ?? ''))
      .body.token;
    const headers = { authorization: `Bearer ${token}` };
    const csv = await (await fetch(`${shop.url}/api/admin/reports/orders`, { headers })).text();
    expect(csv.match(CANARY)).toBeNull();
    expect(csv).toContain(demoAccounts[0]?.email);
    expect(csv).toContain('•••');
  });

  it('in search results, which still contain the demo customers', async () => {
    const found = async (list: string, q: string) =>
      (await admin.get(`/api/admin/${list}?${new URLSearchParams({ q })}`)).body.data?.length;
    for (const q of ['canary', visitor.email, visitor.name, 'visitor.example']) {
      expect([q, await found('users', q), await found('digital-orders', q), await found('reviews', q)]).toEqual([
        q,
        0,
        0,
        0,
      ]);
    }
    expect(await found('users', 'customer@kedai.test')).toBe(1);
    expect(await found('digital-orders', 'customer@kedai.test')).toBeGreaterThan(0);
    expect(await found('reviews', 'customer@kedai.test')).toBeGreaterThan(0);
  });

  it('in search results for parts of it that also occur in the demo data', async () => {
    for (const list of ['users', 'digital-orders', 'orders', 'reviews']) {
      for (const q of ['can', 'visit', 'or']) {
        for (const limit of ['1', '100']) {
          const { body } = await admin.get(`/api/admin/${list}?${new URLSearchParams({ q, limit })}`);
          const found = body.data as unknown as object[];
          expect([list, q, JSON.stringify(found).match(/•••/)]).toEqual([list, q, null]);
          expect(body).toMatchObject({ nextCursor: null, total: found.length });
        }
      }
    }
    const { body } = await admin.get('/api/admin/users?q=customer@kedai.test&limit=1');
    expect(body).toMatchObject({ total: 1, data: [{ email: 'customer@kedai.test' }] });
  });

  it('in the demo mailbox, which is not available', async () => {
    const { status } = await fetch(`${shop.url}/demo/mailbox`);
    expect(status).toBe(404);
    expect((await customer.get('/api/shop')).body.data).toMatchObject({ publicDemo: true, mailbox: null });
  });

  it('but is shown to the visitor in their own account', async () => {
    const own = from(visitor.ip);
    expect((await own.signIn(visitor.email, visitor.password)).body['user']).toMatchObject({ email: visitor.email });
    expect(await read(own, '/api/auth/me')).toContain(visitor.email);
  });
});

describe('shared demo data cannot be changed', () => {
  const refused = { status: 403, body: { code: 'FORBIDDEN' } };

  it.each(calls.filter(([, { method, access }]) => method !== 'GET' && access === 'admin'))(
    'on the dashboard: %s',
    async (_name, { method, path }) => {
      const answer = await admin.send(method, `/api${path.replaceAll(/:\w+/g, MISSING)}`, {});
      expect(answer).toMatchObject(refused);
      expect(answer.body.message).toBe('The dashboard of this public demo is read-only');
    },
  );

  it.each(
    calls.filter(
      ([, { method, access, path }]) =>
        method !== 'GET' && access === 'customer' && /^\/(my-reviews|auth)\/(?!logout$|reauthenticate$)/.test(path),
    ),
  )('in the shared accounts: %s', async (_name, { method, path }) => {
    for (const shopper of [customer, admin]) {
      expect(await shopper.send(method, `/api${path.replaceAll(/:\w+/g, MISSING)}`, {})).toMatchObject(refused);
    }
  });

  it('but visitors can change their own account', async () => {
    const own = from(visitor.ip);
    await own.signIn(visitor.email, visitor.password);
    const changed = await own.send('PUT', '/api/auth/updatepassword', {
      currentPassword: visitor.password,
      newPassword: 'another-password-7712',
    });
    expect(changed.status).toBe(200);
    expect((await own.post('/api/auth/logout')).status).toBe(200);
  });
});

describe('a database with demo data', () => {
  const settings = { DATABASE_URL: '', DATA_DIR: '' };
  const start = (extra: Record<string, string>) => {
    const { databaseUrl = '', dataDir } = shop.deps.config;
    return startTestShop({
      settings: { ...settings, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, DEMO: 'off', ...extra },
    });
  };
  const stripe = { STRIPE_PUBLISHABLE_KEY: 'pk_live_abc', STRIPE_WEBHOOK_SECRET: 'whsec_abc' };

  it.each<[RegExp, Record<string, string>]>([
    [/^HOST is not this machine alone.*DEMO=public/, { HOST: '0.0.0.0' }],
    [/^PUBLIC_URL is not on this machine.*DEMO=public/, { PUBLIC_URL: 'https://demo.example' }],
    [/^STRIPE_SECRET_KEY is a live key/, { ...stripe, STRIPE_SECRET_KEY: 'sk_live_abc' }],
    [/^STRIPE_SECRET_KEY is a live key/, { ...stripe, STRIPE_SECRET_KEY: 'rk_live_abc', DEMO: 'public' }],
  ])('is refused with a one-line error: %s', async (line, extra) => {
    const failure: unknown = await start(extra).then(
      (started) => started.stop(),
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toMatch(line);
    expect((failure as Error).message).not.toContain('\n');
  });
});
