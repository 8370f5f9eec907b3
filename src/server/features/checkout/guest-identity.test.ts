import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.stop());

/** Buys one unit as a guest with a good card and answers what the order call said. */
async function buyAsGuest(buyer: Shopper, who: { email: string; password: string }) {
  const product = await makeProduct(shop.deps, { items: 1 });
  const cart = [{ product, quantity: 1 }];
  const opened = await buyer.openPayment(cart, who);
  const clientSecret = opened.body.clientSecret ?? '';
  await buyer.confirmCard(clientSecret);
  const placeAgain = () => buyer.placeOrder(cart, clientSecret, who);
  return { orderId: opened.body.orderId ?? '', placed: await placeAgain(), placeAgain, key: product.keys[0] };
}

/** The claim link in the mail of an order, once the mail has been sent. */
async function claimTokenOf(orderId: string): Promise<string> {
  const folder = join(shop.deps.config.dataDir, 'mail');
  return vi.waitFor(
    async () => {
      const { id } = await shop.deps.db
        .selectFrom('mails')
        .select('id')
        .where('order_id', '=', orderId)
        .where('sent_at', 'is not', null)
        .executeTakeFirstOrThrow();
      const file = readdirSync(folder).find((name) => name.includes(id)) ?? '';
      const mail = readFileSync(join(folder, file), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
      const token = /\/claim\?token=([\w-]+)/.exec(mail)?.[1];
      if (!token) throw new Error('the mail has no claim link');
      return token;
    },
    { timeout: 15_000, interval: 50 },
  );
}

describe('a guest with the e-mail of a verified account', () => {
  it('gets no token, changes nothing there, and the account receives the order', async () => {
    const owner = await makeUser(shop.deps);
    const { placed, orderId } = await buyAsGuest(createShopper(shop.url), {
      email: owner.email,
      password: 'taken-over',
    });
    expect(placed).toMatchObject({ status: 201, body: { data: { access: 'sign-in' } } });
    expect(placed.body.data?.token).toBeUndefined();
    expect(await createShopper(shop.url).signIn(owner.email, 'taken-over')).toMatchObject({ status: 401 });

    const signedIn = createShopper(shop.url);
    await signedIn.signIn(owner.email, TEST_PASSWORD);
    expect((await signedIn.get('/api/digital-orders/myorders')).body.data).toMatchObject([{ _id: orderId }]);
  });
});

describe('somebody who took the e-mail first', () => {
  it('cannot read what its owner buys; the mailed link puts them out and opens everything to the owner', async () => {
    const email = 'victim@example.com';
    const first = createShopper(shop.url);
    const taken = await buyAsGuest(first, { email, password: 'the-first-one' });
    first.setToken(taken.placed.body.data?.token);
    expect(taken.placed.body.data?.access).toBe('signed-in');

    const bought = await buyAsGuest(createShopper(shop.url), { email, password: 'the-real-owner' });
    expect(bought.placed.body.data).toMatchObject({ status: 'Delivered', access: 'check-mail' });
    expect(await first.get(`/api/digital-orders/${bought.orderId}/items`)).toMatchObject({ status: 404 });

    const claimToken = await claimTokenOf(bought.orderId);
    const owner = createShopper(shop.url);
    const claimed = await owner.post('/api/auth/claim', { claimToken, password: 'the-real-owner' });
    expect(claimed).toMatchObject({ status: 200, body: { user: { email } } });
    owner.setToken(claimed.body.token);
    const opened = await owner.get(`/api/digital-orders/${bought.orderId}/items`);
    expect(opened.body.data).toMatchObject({ items: [{ items: [{ content: bought.key }] }] });

    expect(await first.get('/api/auth/me')).toMatchObject({ status: 401 });
    expect(await first.signIn(email, 'the-first-one')).toMatchObject({ status: 401 });
    const again = await createShopper(shop.url).post('/api/auth/claim', {
      claimToken,
      password: 'once-more-please',
    });
    expect(again).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
  });
});

describe('the browser that paid', () => {
  it('is answered the same order and signed in again when it calls again', async () => {
    const buyer = createShopper(shop.url);
    const { placed, placeAgain } = await buyAsGuest(buyer, {
      email: 'twice@example.com',
      password: 'same-password',
    });
    const again = await placeAgain();
    expect(again.status).toBe(201);
    expect(again.body.data).toMatchObject({ _id: placed.body.data?._id, access: 'signed-in' });
  });

  it('sets the password later when its page was closed after the card was confirmed', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const opened = await buyer.openPayment([{ product, quantity: 1 }], { email: 'closed@example.com' });
    await buyer.confirmCard(opened.body.clientSecret ?? '');

    const found = await buyer.get('/api/digital-orders/guest/checkout');
    expect(found.body.data).toMatchObject({
      orderId: opened.body.orderId,
      state: 'paid',
      needsPassword: true,
    });
    const finished = await buyer.post('/api/digital-orders/guest/checkout', {
      password: 'chosen-afterwards',
    });
    expect(finished).toMatchObject({ status: 200, body: { data: { access: 'signed-in' } } });
    expect((await buyer.get('/api/digital-orders/guest/checkout')).body.data).toMatchObject({
      needsPassword: false,
    });
  });

  it('is needed for the token: another browser with the intent’s id gets the order finished but is not let in', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const who = { email: 'other-browser@example.com', password: 'whoever-i-am' };
    const opened = await buyer.openPayment([{ product, quantity: 1 }], who);
    await buyer.confirmCard(opened.body.clientSecret ?? '');
    const other = await createShopper(shop.url).placeOrder(
      [{ product, quantity: 1 }],
      opened.body.clientSecret ?? '',
      who,
    );
    expect(other.body.data).toMatchObject({ access: 'check-mail' });
    expect(other.body.data?.token).toBeUndefined();
  });
});

it('makes one user of parallel orders with one new e-mail and delivers them all', async () => {
  const email = 'parallel@example.com';
  const bought = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      buyAsGuest(createShopper(shop.url), { email, password: `password-${n}` }),
    ),
  );
  expect(bought.map(({ placed }) => placed.body.data?.status)).toEqual(Array(5).fill('Delivered'));
  expect(bought.filter(({ placed }) => placed.body.data?.access === 'signed-in')).toHaveLength(1);
  const users = await shop.deps.db.selectFrom('users').select('id').where('email', '=', email).execute();
  expect(users).toHaveLength(1);
});

it('answers alike before the payment whether or not the e-mail is known', async () => {
  const known = await makeUser(shop.deps);
  const product = await makeProduct(shop.deps, { items: 2 });
  const cart = [{ product, quantity: 1 }];
  const [forKnown, forUnknown] = await Promise.all([
    createShopper(shop.url).openPayment(cart, { email: known.email }),
    createShopper(shop.url).openPayment(cart, { email: 'never-seen@example.com' }),
  ]);
  const shape = (body: object) => Object.keys(body).sort();
  expect(shape(forKnown.body)).toEqual(shape(forUnknown.body));
  expect(forKnown.status).toBe(forUnknown.status);
});

it('accepts a common password nowhere, and says so before anything moves', async () => {
  const buyer = createShopper(shop.url);
  const { placed } = await buyAsGuest(buyer, { email: 'common@example.com', password: 'password123' });
  expect(placed).toMatchObject({ status: 400, body: { field: 'guestPassword' } });
});
