import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { endpoints } from '../../src/shared/api.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper, orderItems } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

const shop = await openTestShop();

async function signedIn() {
  const user = await makeUser(shop.deps);
  const shopper = createShopper(shop.url);
  await shopper.signIn(user.email, TEST_PASSWORD);
  return { user, shopper };
}

const rowOf = (id: string) =>
  shop.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Sends the path unchanged: fetch() would normalise it first. */
function statusOfRaw(method: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(shop.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('a path that imitates a guest call', () => {
  const order = '01900000-0000-7000-8000-000000000000';
  it.each([
    '/api/digital-orders/guest/../myorders',
    '/api/digital-orders/guest/%2e%2e/myorders',
    '/api/digital-orders/guest%2f..%2fmyorders',
    '/api/digital-orders/guest/myorders',
    '/api/digital-orders/myorders/guest',
    '/api/digital-orders/myorders?path=/guest',
    '/api/digital-orders/myorders#/guest',
    '/api/digital-orders/myorders;guest',
    `/api/digital-orders/guest/${order}/items`,
    `/api/digital-orders/${order}/items/guest`,
    `/api/digital-orders/${order}/items?guest=true`,
    '/api/digital-orders/guest/items',
    '/api/orders/guest/../myorders',
    '/api/auth/guest/../me',
    '/api/auth/me/guest',
    '/api/auth/me?guest',
    '/api//auth/me',
    '/api/auth/me/',
    '/api/auth/%6de',
    '/api/order-lookup/guest/../../auth/me',
    '/api/order-lookup/guest/%2e%2e/%2e%2e/users/cart',
  ])('gives no access: %s', async (path) => {
    expect([401, 404]).toContain(await statusOfRaw('GET', path));
  });
});

describe('fields that only the shop may write', () => {
  const stolen = {
    _id: '01900000-0000-7000-8000-00000000beef',
    id: '01900000-0000-7000-8000-00000000beef',
    userId: '01900000-0000-7000-8000-00000000beef',
    user_id: '01900000-0000-7000-8000-00000000beef',
    role: 'admin',
    isAdmin: true,
    emailVerified: true,
    email_verified_at: '2020-01-01T00:00:00Z',
    isPaid: true,
    paid_at: '2020-01-01T00:00:00Z',
    status: 'Delivered',
    state: 'fulfilled',
    createdAt: '2020-01-01T00:00:00Z',
    created_at: '2020-01-01T00:00:00Z',
    total_cents: 1,
    password_hash: '',
  };

  const bodies = endpoints
    .map((endpoint) => [endpoint.name, endpoint] as const)
    .filter(([, { body, access }]) => body && access !== 'admin');
  it.each(bodies)('are not part of the body of %s', (_name, { body }) => {
    const schema = z.toJSONSchema(body as z.ZodMiniType, { io: 'output', unrepresentable: 'any' });
    for (const form of schema.anyOf ?? [schema]) {
      expect(form).toMatchObject({ type: 'object', additionalProperties: false });
      expect(Object.keys(form.properties ?? {}).filter((field) => field in stolen)).toEqual([]);
    }
  });

  it('do not change the state, the owner or the price of a guest order', async () => {
    const product = await makeProduct(shop.deps);
    const opened = await createShopper(shop.url).post('/api/digital-orders/guest/create-payment-intent', {
      ...stolen,
      orderItems: orderItems([{ product, quantity: 1 }]).map((item) => ({ ...item, ...stolen })),
      guestEmail: 'greedy@example.com',
      guestName: 'Greedy',
    });
    expect(opened.status).toBe(200);
    expect(opened.body.orderId).not.toBe(stolen._id);
    const order = await shop.deps.db
      .selectFrom('orders')
      .selectAll()
      .where('id', '=', opened.body.orderId ?? '')
      .executeTakeFirstOrThrow();
    expect(order).toMatchObject({ state: 'pending', user_id: null, paid_at: null, total_cents: 1060 });
    expect(order.created_at.getTime()).toBeGreaterThan(Date.parse('2026-01-01'));
  });

  it('are ignored when an account is edited', async () => {
    const { user, shopper } = await signedIn();
    const before = await rowOf(user.id);
    const address = { street: '', city: '', state: '', zipCode: '', country: before.country };
    const details = { name: 'Renamed', email: user.email, phone: '', address: { ...stolen, ...address } };
    const answer = await shopper.send('PUT', '/api/auth/updatedetails', { ...stolen, ...details });
    expect(answer.status).toBe(200);
    expect(await rowOf(user.id)).toEqual({ ...before, name: 'Renamed' });
  });

  it('do not make a user an administrator at login', async () => {
    const { email } = await makeUser(shop.deps);
    const login = { ...stolen, email, password: TEST_PASSWORD };
    const answer = await createShopper(shop.url).post('/api/auth/login', login);
    expect(answer.body).toMatchObject({ user: { role: 'customer' } });
    expect((await createShopper(shop.url).post('/api/auth/register', stolen)).status).toBe(403);
  });
});

it('public pages and calls contain neither a key nor its encrypted form', async () => {
  const product = await makeProduct(shop.deps, { items: 3, featured: true });
  shop.pass(1_000);
  const paths = [
    '/api/digital-products',
    `/api/digital-products?q=${encodeURIComponent(product.name)}`,
    `/api/digital-products/${product.id}`,
    '/api/digital-products/categories/list',
    '/',
    `/digital-product/${product.id}`,
    '/sitemap.xml',
  ];
  for (const path of paths) {
    const text = await (await fetch(`${shop.url}${path}`)).text();
    const secrets = [...product.keys, 'ciphertext', 'content_hmac', 'key_id', 'keyId'];
    expect([path, secrets.filter((secret) => text.includes(secret))]).toEqual([path, []]);
  }
  const { body } = await createShopper(shop.url).get(`/api/digital-products/${product.id}`);
  expect(body.data).toMatchObject({ _id: product.id, stock: 3 });
});
