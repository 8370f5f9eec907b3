import { describe, expect, it, vi } from 'vitest';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { CARDS, createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { settleOrder } from './settle-order.ts';
import { sweepOrders } from './sweep-orders.ts';

const ASK = { onRepeat: 'ask' } as const;
const ALLOW = { onRepeat: 'allow' } as const;
const patience = { timeout: 30_000 };
const JUST_BOUGHT = 'You bought this just now. Buy it again?';
const JUST_STARTED = 'You started paying for this somewhere else just now. Buy it again?';

const shop = await openTestShop();

const cartOf = (product: MadeProduct, quantity = 1) => [{ product, quantity }];
const stockUp = () => makeProduct(shop.deps, { items: 30 });

/** Makes browsers that are signed in to one account. */
async function devices(count = 2): Promise<Shopper[]> {
  const { email } = await makeUser(shop.deps);
  const { token } = (await createShopper(shop.url).signIn(email, TEST_PASSWORD)).body;
  return Array.from({ length: count }, () => {
    const device = createShopper(shop.url);
    device.setToken(token);
    return device;
  });
}

const phoneAndLaptop = async () => (await devices()) as [Shopper, Shopper];

async function buy(device: Shopper, product: MadeProduct, guest?: { email: string; password: string }) {
  const { clientSecret = '' } = (await device.openPayment(cartOf(product), guest, ASK)).body;
  await device.confirmCard(clientSecret);
  const placed = await device.placeOrder(cartOf(product), clientSecret, guest);
  expect(placed.status).toBe(201);
  return placed;
}

const repeated = (message: string) => ({
  status: 409,
  body: { code: 'REPEAT_ORDER', message, orderedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
});

const declinesOf = async (orderId: unknown) =>
  shop.deps.db.selectFrom('declines').select('id').where('order_id', '=', String(orderId)).execute();

it('asks about an order that the account paid on another device, for 10 minutes', async () => {
  const [phone, laptop] = await phoneAndLaptop();
  const [product, other] = [await stockUp(), await stockUp()];
  const before = Date.now();
  await buy(phone, product);

  const answer = await laptop.openPayment(cartOf(product), undefined, ASK);
  expect(answer).toMatchObject(repeated(JUST_BOUGHT));
  const orderedAt = Date.parse(String(answer.body['orderedAt']));
  expect(orderedAt).toBeGreaterThanOrEqual(before);
  expect(orderedAt).toBeLessThanOrEqual(Date.now());
  expect((await laptop.openPayment(cartOf(product, 2), undefined, ASK)).status).toBe(200);
  const more = [...cartOf(product), ...cartOf(other)];
  expect((await laptop.openPayment(more, undefined, ASK)).status).toBe(200);

  shop.pass(2 * MINUTE_MS);
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(
    repeated('You bought this 2 minutes ago. Buy it again?'),
  );
  shop.pass(8 * MINUTE_MS);
  expect((await laptop.openPayment(cartOf(product), undefined, ASK)).status).toBe(200);
});

it('does not ask without the option, on another account, or after the buyer confirmed', async () => {
  const [phone, laptop] = await phoneAndLaptop();
  const product = await stockUp();
  await buy(phone, product);
  expect((await laptop.openPayment(cartOf(product))).status).toBe(200);
  const [tablet] = await devices(1);
  expect((await tablet?.openPayment(cartOf(product), undefined, ASK))?.status).toBe(200);
  expect((await phone.openPayment(cartOf(product), undefined, ALLOW)).status).toBe(200);
});

it('asks while another device authenticates the card, until that device opens another order', async () => {
  const [phone, laptop] = await phoneAndLaptop();
  const product = await stockUp();
  const opened = (await phone.openPayment(cartOf(product))).body;
  await phone.confirmCard(opened.clientSecret ?? '', CARDS.challenge);
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(repeated(JUST_STARTED));
  await phone.post('/api/digital-orders/guest/checkout/abandon', { orderId: opened.orderId, pageIsClosed: false });
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(repeated(JUST_STARTED));
  await phone.openPayment(cartOf(await stockUp()));
  expect((await laptop.openPayment(cartOf(product), undefined, ASK)).status).toBe(200);
});

it('treats a declined order as given up until a device pays for it again', async () => {
  const [phone, laptop] = await phoneAndLaptop();
  const product = await stockUp();
  const first = (await phone.openPayment(cartOf(product), undefined, ASK)).body;
  await phone.confirmCard(first.clientSecret ?? '', CARDS.declined);
  await vi.waitFor(async () => expect(await declinesOf(first.orderId)).toHaveLength(1), patience);

  // The same checkout, continued after a decline or a reload, does not count as a repeat.
  expect((await phone.openPayment(cartOf(product), undefined, ASK)).body.orderId).toBe(first.orderId);
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(repeated(JUST_STARTED));

  await phone.confirmCard(first.clientSecret ?? '', CARDS.insufficientFunds);
  await vi.waitFor(async () => expect(await declinesOf(first.orderId)).toHaveLength(2), patience);
  await buy(laptop, product);
  expect(await phone.openPayment(cartOf(product), undefined, ASK)).toMatchObject(repeated(JUST_BOUGHT));
  const again = await phone.openPayment(cartOf(product), undefined, ALLOW);
  expect(again.body.orderId).toBe(first.orderId);
});

it('recognizes a guest by the checkout cookie, not the email, and later by the account', async () => {
  const product = await stockUp();
  const guest = { email: 'two-browsers@example.com', password: 'a-guest-chooses' };
  const [home, stranger] = [createShopper(shop.url), createShopper(shop.url)];
  const { token } = (await buy(home, product, guest)).body.data ?? {};
  expect((await stranger.openPayment(cartOf(product), guest, ASK)).status).toBe(200);
  expect(await home.openPayment(cartOf(product), guest, ASK)).toMatchObject(repeated(JUST_BOUGHT));

  const phone = createShopper(shop.url);
  phone.setToken(token);
  expect(await phone.openPayment(cartOf(product), undefined, ASK)).toMatchObject(repeated(JUST_BOUGHT));
});

it('lets exactly one of several devices open the same order at once', async () => {
  for (const count of [2, 2, 2, 2, 6]) {
    const product = await stockUp();
    const all = await devices(count);
    const answers = await Promise.all(all.map((device) => device.openPayment(cartOf(product), undefined, ASK)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: count - 1 }, () => 409)]);
  }
});

it('lets exactly one device continue when one opens an order and another retries its declined one', async () => {
  for (let round = 0; round < 4; round += 1) {
    const [phone, laptop] = await phoneAndLaptop();
    const product = await stockUp();
    const first = (await phone.openPayment(cartOf(product), undefined, ASK)).body;
    await phone.confirmCard(first.clientSecret ?? '', CARDS.declined);
    await vi.waitFor(async () => expect(await declinesOf(first.orderId)).toHaveLength(1), patience);
    const answers = await Promise.all(
      [phone, laptop].map((device) => device.openPayment(cartOf(product), undefined, ASK)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

it('asks as long as the bank authenticates the card for the same order', async () => {
  const [phone, laptop] = await phoneAndLaptop();
  const product = await stockUp();
  const { clientSecret = '' } = (await phone.openPayment(cartOf(product), undefined, ASK)).body;
  await phone.confirmCard(clientSecret, CARDS.challenge);
  for (let halves = 0; halves < 22; halves += 1) {
    shop.pass(MINUTE_MS / 2);
    await sweepOrders(shop.deps);
  }
  const started = repeated('You started paying for this somewhere else 11 minutes ago. Buy it again?');
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(started);
});

it('asks while the same order is being captured, and after a late capture', async () => {
  const [phone, laptop] = await phoneAndLaptop();
  const product = await stockUp();
  const { clientSecret = '', orderId = '' } = (await phone.openPayment(cartOf(product), undefined, ASK)).body;
  await phone.confirmCard(clientSecret);
  const captureIntent = () => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away'));
  const away = { ...shop.deps, payments: { ...shop.deps.payments, captureIntent } };
  await expect(settleOrder(away, orderId)).rejects.toThrow('The provider is away');
  shop.pass(30 * MINUTE_MS);
  const bought = repeated('You bought this 30 minutes ago. Buy it again?');
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(bought);
  await settleOrder(shop.deps, orderId);
  expect(await laptop.openPayment(cartOf(product), undefined, ASK)).toMatchObject(repeated(JUST_BOUGHT));
});

describe('Pay after the response of the call that opened the payment was lost', () => {
  const guest = { email: 'lost-response@example.com', password: 'a-guest-chooses' };
  const newcomer = { ...guest, email: 'newcomer@example.com' };
  const openCheckout = (browser: Shopper) => browser.get('/api/digital-orders/guest/checkout');

  /** Opens a payment whose response does not reach the browser. Returns the order's id. */
  async function losePayment(browser: Shopper, product: MadeProduct, buyer?: typeof guest): Promise<unknown> {
    const cookies = [...browser.cookies];
    const { status, body } = await browser.openPayment(cartOf(product), buyer, ASK);
    expect(status).toBe(200);
    browser.cookies.clear();
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    return body.orderId;
  }

  it('pays the same order, of a guest and of a customer', async () => {
    const [customer] = (await devices(1)) as [Shopper];
    for (const [browser, buyer] of [[createShopper(shop.url), guest] as const, [customer] as const]) {
      const product = await makeProduct(shop.deps, { items: 1 });
      await openCheckout(browser);
      const lost = await losePayment(browser, product, buyer);
      const held = (await openCheckout(browser)).body.data;
      expect(held).toMatchObject({ orderId: lost, state: 'open' });
      const placed = await buy(browser, product, buyer);
      expect(placed.body.data?.['_id']).toBe(lost);
      if (buyer) expect(placed.body.data).toMatchObject({ access: 'signed-in' });
    }
  });

  it('pays the same order when the browser has given up another order before', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const browser = createShopper(shop.url);
    const { orderId } = (await browser.openPayment(cartOf(product), guest, ASK)).body;
    await browser.post('/api/digital-orders/guest/checkout/abandon', { orderId, pageIsClosed: false });
    const lost = await losePayment(browser, product, guest);
    expect(lost).not.toBe(orderId);
    expect((await buy(browser, product, guest)).body.data?.['_id']).toBe(lost);
  });

  it('gives the goods of the lost order back when the buyer pays for others', async () => {
    const [product, other] = [await makeProduct(shop.deps, { items: 1 }), await stockUp()];
    const browser = createShopper(shop.url);
    await openCheckout(browser);
    await losePayment(browser, product, guest);
    expect((await browser.openPayment(cartOf(other), guest, ASK)).status).toBe(200);
    expect((await createShopper(shop.url).openPayment(cartOf(product), guest)).status).toBe(200);
  });

  it('shows the order to no other browser, and gives a browser one secret until its order is paid', async () => {
    const product = await stockUp();
    const [browser, other] = [createShopper(shop.url), createShopper(shop.url)];
    await openCheckout(browser);
    const secret = browser.cookies.get('checkoutSecret');
    await openCheckout(browser);
    expect(browser.cookies.get('checkoutSecret')).toBe(secret);
    await losePayment(browser, product, newcomer);
    await openCheckout(other);
    expect((await openCheckout(other)).body.data).toBeNull();
    await buy(browser, product, newcomer);
    await browser.send('DELETE', '/api/digital-orders/guest/checkout');
    expect(browser.cookies.get('checkoutSecret')).toBe('');
    await openCheckout(browser);
    expect(browser.cookies.get('checkoutSecret')).not.toBe(secret);
  });
});
