import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/database.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { CARDS, createShopper, intentIdOf } from '../../../../test/shopper.ts';
import { newTokenOf, signedIn } from '../../../../test/signed-in.ts';
import { openTestShop, PATIENT } from '../../../../test/test-shop.ts';
import { openPayment } from '../checkout/open-payment.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';
import { closeShop, openShop } from './closing.ts';

const database = await createTestDatabase();
const key = randomBytes(32).toString('base64');
const settings = { MASTER_KEYS: `m1:${key}`, JWT_KEYS: `j1:${key}` };
const shop = await openTestShop({ ...PATIENT, database, settings });
/** Another process on the same database. */
const other = await openTestShop({ ...PATIENT, database: { ...database, drop: async () => undefined }, settings });
const admin = await signedIn(shop, { role: 'admin', email: 'boss@example.com' });

/** Advances the clocks of both processes together. */
function pass(milliseconds: number) {
  shop.pass(milliseconds);
  other.pass(milliseconds);
}

const actor = { userId: null, name: 'test', ip: '' };
const reason = 'Stocktaking';
const close = () => admin.post('/api/admin/shop/close', { reason, message: 'Back at noon' });
afterEach(() => openShop(shop.deps, { reason: 'Done', actor }));

const guest = (name: string) => ({ email: `${name}-${uuidv7()}@example.com` });
const cartOf = async (items = 1) => [{ product: await makeProduct(shop.deps, { items }), quantity: 1 }];
const refusal = { status: 503, body: { code: 'SHOP_CLOSED', message: 'Back at noon' } };
const countOrders = async () => (await shop.deps.db.selectFrom('orders').select('id').execute()).length;

it('a closed shop starts no payment in any process, writes no order, and sends Retry-After', async () => {
  const cart = await cartOf();
  expect((await close()).status).toBe(200);
  const before = await countOrders();
  const customer = createShopper(shop.url);
  await customer.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
  for (const answer of [
    await createShopper(shop.url).openPayment(cart, guest('closed')),
    await createShopper(other.url).openPayment(cart, guest('closed')),
    await customer.openPayment(cart),
  ]) {
    expect(answer).toMatchObject(refusal);
    expect(answer.headers.get('retry-after')).toBe('300');
  }
  expect(await countOrders()).toBe(before);
  expect((await admin.post('/api/admin/shop/open', { reason: 'Done' })).status).toBe(200);
  expect((await createShopper(other.url).openPayment(cart, guest('open'))).status).toBe(200);
});

it('an open shop that is opened again has no entry in the audit log', async () => {
  const entries = () => shop.deps.db.selectFrom('audit_log').select('id').execute();
  const before = await entries();
  expect((await admin.post('/api/admin/shop/open', { reason: 'Done' })).status).toBe(200);
  expect(await entries()).toEqual(before);
});

it('a closed shop shows buyers its message, administrators the time and reason, and the audit log the actor', async () => {
  await close();
  pass(2_000);
  expect((await createShopper(other.url).get('/api/shop/closed')).body.data).toEqual({ text: 'Back at noon' });
  expect((await admin.get('/api/admin/shop/closed')).body.data).toEqual({
    since: expect.any(String),
    reason,
    message: 'Back at noon',
  });
  await admin.post('/api/admin/shop/open', { reason: 'Counted' });
  expect((await admin.get('/api/admin/shop/closed')).body.data).toBeNull();
  const entries = shop.deps.db.selectFrom('audit_log').select(['actor', 'action', 'summary']).orderBy('id', 'desc');
  expect(await entries.limit(2).execute()).toEqual([
    { actor: 'boss@example.com', action: 'shop.opened', summary: 'Opened the shop: Counted' },
    {
      actor: 'boss@example.com',
      action: 'shop.closed',
      summary: 'Closed the shop: Stocktaking. Buyers read: Back at noon',
    },
  ]);
});

it('a closed shop delivers orders that were authorised before', async () => {
  const page = await createShopper(shop.url).authorise(await cartOf(), guest('page'));
  const left = await createShopper(shop.url).authorise(await cartOf(), guest('left'));
  await close();
  expect((await page.place()).status).toBe(201);
  pass(31_000);
  await sweepOrders(shop.deps);
  const states = shop.deps.db.selectFrom('orders').select('state').where('id', 'in', [page.orderId, left.orderId]);
  expect(await states.execute()).toEqual([{ state: 'fulfilled' }, { state: 'fulfilled' }]);
});

it('a closed shop continues a payment whose card is being authenticated, but not a declined one', async () => {
  const [declined, challenged] = [createShopper(shop.url), createShopper(shop.url)];
  const attempts = [
    { buyer: declined, card: CARDS.declined, cart: await cartOf(), who: guest('declined') },
    { buyer: challenged, card: CARDS.challenge, cart: await cartOf(), who: guest('challenged') },
  ] as const;
  const secrets: string[] = [];
  for (const { buyer, card, cart, who } of attempts) {
    const { clientSecret = '' } = (await buyer.openPayment(cart, who)).body;
    await buyer.confirmCard(clientSecret, card);
    secrets.push(clientSecret);
  }
  await close();
  expect(await declined.openPayment(attempts[0].cart, attempts[0].who)).toMatchObject(refusal);
  expect(await challenged.openPayment(attempts[1].cart, attempts[1].who)).toMatchObject({
    status: 200,
    body: { clientSecret: secrets[1] },
  });
});

it('a payment created while the shop was closing is given to no buyer, and its goods go back on sale', async () => {
  const cart = await cartOf();
  const [{ product }] = cart as [(typeof cart)[number]];
  const made: string[] = [];
  const payments = {
    ...shop.deps.payments,
    createIntent: async (input: Parameters<typeof shop.deps.payments.createIntent>[0]) => {
      const intent = await shop.deps.payments.createIntent(input);
      made.push(intent.id);
      await closeShop(shop.deps, { reason, message: 'Back at noon', actor });
      return intent;
    },
  };
  const lines = [{ position: 1, productId: product.id, name: product.name, quantity: 1 }];
  const buyer = { userId: null, email: guest('late').email, name: 'Late', phone: '' };
  const input = { cart: { lines }, buyer, ip: '127.0.0.1', previous: undefined, browserSecret: undefined };
  const opening = openPayment({ ...shop.deps, payments }, { ...input, bind: () => undefined });
  await expect(opening).rejects.toMatchObject({ code: 'SHOP_CLOSED' });
  pass(4 * 60_000);
  while (await sweepOrders(shop.deps));
  expect(await shop.deps.payments.retrieveIntent(made[0] ?? '')).toMatchObject({ status: 'canceled' });
  const items = shop.deps.db.selectFrom('items').select('state').where('product_id', '=', product.id);
  expect(await items.execute()).toEqual([{ state: 'available' }]);
});

it('a closed shop still serves the catalogue, orders, items and refunds', async () => {
  const { orderId, buyer, keys, products } = await buyAsGuest(shop, { quantity: 1 });
  await close();
  expect((await buyer.get(`/api/digital-products/${products[0]?.id}`)).status).toBe(200);
  expect(await keys()).toEqual(products[0]?.keys);
  expect((await buyer.get('/api/digital-orders/myorders')).body.data).toHaveLength(1);
  const refund = await admin.post(`/api/admin/orders/${orderId}/refund`, { reason: 'Asked for' });
  expect(refund.status).toBe(200);
});

it('closing during 30 concurrent buyers in two processes delivers each started payment, and starts none after it', async () => {
  const cart = await cartOf(2_000);
  const opened: { at: number; status: number; intent: string }[] = [];
  const delivered: string[] = [];
  const paidOnce = Promise.withResolvers<void>();

  async function buyUntilClosed(n: number) {
    const buyer = createShopper(n % 2 === 0 ? shop.url : other.url);
    buyer.setToken(await newTokenOf(shop.deps, await makeUser(shop.deps)));
    for (;;) {
      const at = performance.now();
      const { status, body } = await buyer.openPayment(cart);
      const clientSecret = body.clientSecret ?? '';
      opened.push({ at, status, intent: intentIdOf(clientSecret) });
      if (status === 503) return;
      await buyer.confirmCard(clientSecret);
      expect((await buyer.placeOrder(cart, clientSecret)).status).toBe(201);
      delivered.push(intentIdOf(clientSecret));
      paidOnce.resolve();
    }
  }

  const buyers = Promise.all(Array.from({ length: 30 }, (_, n) => buyUntilClosed(n)));
  await Promise.race([paidOnce.promise, buyers]);
  expect((await close()).status).toBe(200);
  const closedAt = performance.now();
  await buyers;
  const taken = opened.filter(({ status }) => status === 200);
  expect(taken.filter(({ at }) => at > closedAt)).toEqual([]);
  expect(delivered.toSorted()).toEqual(taken.map(({ intent }) => intent).toSorted());
  const captured = shop.deps.db.selectFrom('test_mode_intents').select('id').where('status', '=', 'succeeded');
  expect((await captured.where('id', 'in', delivered).execute()).length).toBe(delivered.length);
});
