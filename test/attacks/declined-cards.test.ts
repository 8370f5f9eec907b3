import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { openProviderDesk } from '../faults/provider-desk.ts';
import { CARDS, type CartEntry, createShopper, intentIdOf, type Shopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

const PASSWORD = 'hunter2-hunter2';
const soon = { timeout: 20_000 };
const tooMany = { status: 429, body: { code: 'RATE_LIMITED' } };

let shop: TestShop;
/** A shop that receives no webhooks. */
let deaf: TestShop;
beforeAll(async () => {
  const settings = { RATE_LIMITS: 'on', TRUST_PROXY: '1' };
  shop = await startTestShop({ settings });
  deaf = await startTestShop({ settings, deliverTestWebhooks: false });
});
afterAll(async () => {
  await deaf.stop();
  await shop.stop();
});

let counter = 0;
function next(): number {
  counter += 1;
  return counter;
}
const newAddress = () => `10.2.${next() >> 8}.${counter & 255}`;
const newGuest = () => ({ email: `declined-${next()}@example.com`, password: PASSWORD });
const times = async (count: number, work: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < count; index += 1) await work(index);
};

interface Payment {
  browser: Shopper;
  guest: { email: string; password: string } | undefined;
  cart: CartEntry[];
  orderId: string;
  clientSecret: string;
}

async function open(browser: Shopper, guest: Payment['guest'], { deps } = shop): Promise<Payment> {
  const cart = [{ product: await makeProduct(deps, { items: 1 }), quantity: 1 }];
  const { orderId = '', clientSecret = '', ...body } = (await browser.openPayment(cart, guest)).body;
  expect(body).toMatchObject({ success: true });
  return { browser, guest, cart, orderId, clientSecret };
}
const openAsGuest = (address: string, of = shop) => open(createShopper(of.url, { from: address }), newGuest(), of);

async function customerAt(address: string, user?: { email: string }): Promise<Shopper> {
  const browser = createShopper(shop.url, { from: address });
  await browser.signIn((user ?? (await makeUser(shop.deps))).email, TEST_PASSWORD);
  return browser;
}

const decline = ({ browser, clientSecret }: Payment) => browser.confirmCard(clientSecret, CARDS.declined);

async function declinesOf(payments: Payment[], { deps } = shop): Promise<number> {
  const orderIds = payments.map(({ orderId }) => orderId);
  const rows = await deps.db.selectFrom('declines').select('id').where('order_id', 'in', orderIds).execute();
  return rows.length;
}

const stateOf = async ({ orderId }: Payment, { deps } = shop) =>
  (await deps.db.selectFrom('orders').select('state').where('id', '=', orderId).executeTakeFirst())?.state;
const statesOf = (payments: Payment[]) => Promise.all(payments.map((payment) => stateOf(payment)));

async function pay({ browser, cart, clientSecret, guest }: Payment): Promise<number> {
  expect((await browser.confirmCard(clientSecret)).status).toBe(200);
  return (await browser.placeOrder(cart, clientSecret, guest)).status;
}

it('20 declines from one IP address cancel every payment declined there, and no other payment', async () => {
  const address = newAddress();
  const tried: Payment[] = [];
  await times(5, async () => tried.push(await openAsGuest(address)));
  const neighbour = await openAsGuest(address);
  const elsewhere = await openAsGuest(newAddress());
  await decline(elsewhere);
  await times(19, (index) => decline(tried[index % 5] as Payment));
  await expect.poll(() => declinesOf(tried), soon).toBe(19);
  expect(await statesOf(tried)).toEqual(Array(5).fill('pending'));

  await decline(tried[0] as Payment);
  await expect.poll(() => statesOf(tried), soon).toEqual(Array(5).fill('cancelled'));
  for (const { browser, clientSecret } of tried) {
    expect((await browser.confirmCard(clientSecret)).status).toBe(400);
  }
  const refused = await createShopper(shop.url, { from: address }).openPayment(neighbour.cart, newGuest());
  expect(refused).toMatchObject(tooMany);
  expect(await statesOf([neighbour, elsewhere])).toEqual(['pending', 'pending']);
  expect(await pay(neighbour)).toBe(201);
  expect(await pay(elsewhere)).toBe(201);
  expect(await pay(await open(await customerAt(address), undefined))).toBe(201);
});

it('200 declines from one IPv6 /48 cancel every payment declined there, and no other payment', async () => {
  const tried = [await openAsGuest('2001:db8:7:1::1'), await openAsGuest('2001:db8:7:2::1')];
  const [neighbour, elsewhere] = [await openAsGuest('2001:db8:7:3::1'), await openAsGuest('2001:db8:8:1::1')];
  for (const payment of [...tried, elsewhere]) await decline(payment);
  await expect.poll(() => declinesOf([...tried, elsewhere]), soon).toBe(3);
  await times(197, (index) => shop.deps.limits.count('decline', { address: `2001:db8:7:${1000 + index}::1` }));
  expect(await statesOf(tried)).toEqual(['pending', 'pending']);

  await decline(tried[0] as Payment);
  await expect.poll(() => statesOf(tried), soon).toEqual(['cancelled', 'cancelled']);
  expect(await statesOf([neighbour, elsewhere])).toEqual(['pending', 'pending']);
  const newcomer = createShopper(shop.url, { from: '2001:db8:7:4::1' });
  expect(await newcomer.openPayment(neighbour.cart, newGuest())).toMatchObject(tooMany);
  expect(await pay(neighbour)).toBe(201);
  expect(await pay(elsewhere)).toBe(201);
});

it('20 declines of one customer cancel all their open payments at every IP address, and no other payment', async () => {
  const [home, office, user] = [newAddress(), newAddress(), await makeUser(shop.deps)];
  const tried = await open(await customerAt(home, user), undefined);
  const untried = await open(await customerAt(office, user), undefined);
  const [guest, other] = [await openAsGuest(office), await open(await customerAt(home), undefined)];
  await times(20, () => decline(tried));
  await expect.poll(() => statesOf([tried, untried]), soon).toEqual(['cancelled', 'cancelled']);
  const third = await customerAt(newAddress(), user);
  expect(await third.openPayment(other.cart)).toMatchObject(tooMany);
  expect(await pay(guest)).toBe(201);
  expect(await pay(other)).toBe(201);
});

it('a decline whose webhook is lost is counted when the page reads the payment state or pays again', async () => {
  const address = newAddress();
  const tried = await openAsGuest(address, deaf);
  const ask = () => tried.browser.get('/api/digital-orders/guest/checkout');
  await times(18, async () => {
    await decline(tried);
    await ask();
    await ask();
  });
  expect(await declinesOf([tried], deaf)).toBe(18);
  const payAgain = () => tried.browser.openPayment(tried.cart, tried.guest);
  await decline(tried);
  expect((await payAgain()).body).toMatchObject({ orderId: tried.orderId });
  await decline(tried);
  expect(await payAgain()).toMatchObject(tooMany);
  expect(await declinesOf([tried], deaf)).toBe(20);
  expect(await stateOf(tried, deaf)).toBe('cancelled');
});

it('a decline is counted once, however many calls and webhooks report it', async () => {
  const tried = await openAsGuest(newAddress(), deaf);
  await decline(tried);
  const desk = await openProviderDesk(deaf.deps.db);
  const [event, ...more] = (await desk.listEvents(intentIdOf(tried.clientSecret))).filter(
    ({ type }) => type === 'payment_intent.payment_failed',
  );
  expect(more).toEqual([]);
  const payload = event?.payload ?? '';
  const resent = payload.replaceAll(event?.id ?? '', 'evt_another');
  for (const told of [payload, payload, resent]) expect(await desk.deliver(deaf.url, told)).toBe(200);
  await tried.browser.get('/api/digital-orders/guest/checkout');
  expect(await declinesOf([tried], deaf)).toBe(1);
});

it('the order call of a guest who has paid allows ten wrong passwords in 15 minutes', async () => {
  const paid = await openAsGuest(newAddress());
  expect(await pay(paid)).toBe(201);
  const { browser, cart, clientSecret, guest } = paid;
  const place = (password: string) => browser.placeOrder(cart, clientSecret, { email: guest?.email ?? '', password });
  const finish = (password: string) => browser.post('/api/digital-orders/guest/checkout', { password });
  await times(12, async () => {
    expect(await place(PASSWORD)).toMatchObject({ status: 201, body: { data: { access: 'signed-in' } } });
  });
  await times(5, async (index) => {
    expect(await place(`a guess ${index}`)).toMatchObject({ body: { data: { access: 'sign-in' } } });
    expect(await finish(`a guess ${index}`)).toMatchObject({ body: { data: { access: 'sign-in' } } });
  });
  for (const refused of [await place(PASSWORD), await finish(PASSWORD)]) {
    expect(refused).toMatchObject(tooMany);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.token).toBeUndefined();
  }
  expect(await stateOf(paid)).toBe('fulfilled');
});

it('an address may ask 600 times a minute for the state of its checkouts, and its paid orders are finished all the same', async () => {
  const paid = await openAsGuest(newAddress());
  expect(await pay(paid)).toBe(201);
  const { browser, cart, clientSecret, guest } = paid;
  const ask = () => browser.get('/api/digital-orders/guest/checkout/payment');
  await times(12, async () => {
    for (const { status } of await Promise.all(Array.from({ length: 50 }, ask))) expect(status).toBe(200);
  });
  expect(await ask()).toMatchObject(tooMany);
  const place = browser.placeOrder(cart, clientSecret, { email: guest?.email ?? '', password: PASSWORD });
  expect(await place).toMatchObject({ status: 201, body: { data: { access: 'signed-in' } } });
});
