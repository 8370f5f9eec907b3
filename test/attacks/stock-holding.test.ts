import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPayment } from '../../src/server/features/checkout/open-payment.ts';
import { countStockOnSale } from '../../src/server/features/inventory/inventory.queries.ts';
import { lockOrder } from '../../src/server/features/orders/orders.queries.ts';
import { noRateLimits } from '../../src/server/platform/rate-limits/rate-limits.ts';
import { kindsOfGoods, type MadeProduct, makeGoods, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { startWhileLocked } from '../locks.ts';
import { type Answer, type CartEntry, createShopper, type Shopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

let shop: TestShop;
let unlimited: TestShop;
beforeAll(async () => {
  // Its webhooks would wait for the locks of a test, too.
  shop = await startTestShop({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1' }, deliverTestWebhooks: false });
  unlimited = await startTestShop();
});
afterAll(() => Promise.all([shop, unlimited].map((each) => each.stop())));

/** Resets the rate limits, which are not under test here, as if a minute had passed. */
const forgetCalls = () => shop.deps.db.deleteFrom('rate_counts').execute();

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `203.0.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
};
beforeEach(forgetCalls);

let guests = 0;
const newEmail = () => {
  guests += 1;
  return `guest-${guests}@example.com`;
};

/** Opens a payment as a guest in a new browser. */
const openAsGuest = (cart: CartEntry[], from: string, email = newEmail()) =>
  createShopper(shop.url, { from }).openPayment(cart, { email });

async function buyAsGuest(buyer: Shopper, cart: CartEntry[]): Promise<Answer> {
  const guest = { email: newEmail(), password: 'a password of a guest' };
  const opened = await buyer.openPayment(cart, guest);
  const { clientSecret } = opened.body;
  if (clientSecret === undefined) return opened;
  await buyer.confirmCard(clientSecret);
  return buyer.placeOrder(cart, clientSecret, guest);
}

async function signIn(from: string): Promise<Shopper> {
  const { email } = await makeUser(shop.deps);
  const buyer = createShopper(shop.url, { from });
  await buyer.signIn(email, TEST_PASSWORD);
  return buyer;
}

const heldUnits = async (products: MadeProduct[]) => {
  const stocks = await Promise.all(products.map(({ id }) => countStockOnSale(shop.deps.db, id)));
  return stocks.reduce((sum, { held }) => sum + held, 0);
};

const makeProducts = (count: number, items: number) =>
  Promise.all(Array.from({ length: count }, () => makeProduct(shop.deps, { items })));

const heldByNetwork = (units: number, orders: number) =>
  `At most ${units} items in ${orders} orders can wait for their payment from one network. Please try again in a few minutes, or sign in if you have bought here before.`;
const HELD_BY_NETWORK = heldByNetwork(50, 20);

describe('an IP address', () => {
  it('holds at most 50 units after 60 concurrent calls, and leaves units of every product to other buyers', async () => {
    const products = await makeProducts(14, 20);
    const deps = { ...shop.deps, limits: noRateLimits };
    const attack = Array.from({ length: 60 }, (_, call) => {
      const lines = products.map(({ id, name }, index) => ({
        position: index + 1,
        productId: id,
        name,
        // Whole carts of every product, and small ones that could slip through at the same time.
        quantity: call % 3 === 0 ? 20 : index === call % products.length ? 5 : 0,
      }));
      return openPayment(deps, {
        cart: { lines: lines.filter(({ quantity }) => quantity > 0) },
        buyer: { userId: null, email: newEmail(), name: 'Guest', phone: '' },
        ip: '198.51.100.66',
        previous: undefined,
        browserSecret: undefined,
        bind: () => undefined,
      });
    });
    const outcomes = await Promise.allSettled(attack);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: 'HOLD_LIMIT' })));
    expect(await heldUnits(products)).toBe(50);

    const bought = await buyAsGuest(
      createShopper(shop.url, { from: newAddress() }),
      products.map((product) => ({ product, quantity: 1 })),
    );
    expect(bought.status).toBe(201);
  });

  it('cannot hold the whole stock of a product, and gets the limit in the response', async () => {
    const [product] = await makeProducts(1, 100);
    const answer = await openAsGuest([{ product: product as MadeProduct, quantity: 100 }], newAddress());
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'HOLD_LIMIT', message: `You can hold at most 25 of "${product?.name}" at once.` },
    });
    expect(await heldUnits([product as MadeProduct])).toBe(0);
  });

  it.each(kindsOfGoods)(
    'holds at most a quarter of the stock of %s goods across its browsers, or 5 units of a small stock',
    async (kind) => {
      const [plenty, scarce] = [await makeGoods(shop.deps, kind, 40), await makeGoods(shop.deps, kind, 8)];
      const from = newAddress();
      expect((await openAsGuest([{ product: plenty, quantity: 6 }], from)).status).toBe(200);
      expect((await openAsGuest([{ product: plenty, quantity: 5 }], from)).body).toMatchObject({
        code: 'HOLD_LIMIT',
        message: `At most 10 of "${plenty.name}" can be held from one network at once. Please try again in a few minutes, or sign in if you have bought here before.`,
      });
      expect((await openAsGuest([{ product: plenty, quantity: 4 }], from)).status).toBe(200);
      expect((await openAsGuest([{ product: scarce, quantity: 6 }], from)).status).toBe(409);
      expect((await openAsGuest([{ product: scarce, quantity: 5 }], from)).status).toBe(200);
      expect((await openAsGuest([{ product: plenty, quantity: 10 }], newAddress())).status).toBe(200);
    },
  );

  it.each([
    ['with a large stock', { items: 400 }],
    ['without a stock limit', { items: 0, delivery: 'manual' as const }],
  ])(
    'holds at most a quarter of the flash-sale units of a product %s, and leaves the rest to others',
    async (_, goods) => {
      const flash = { flash_price_cents: 500, flash_units_limit: 40 };
      const product = { ...(await makeProduct(shop.deps, { ...goods, ...flash })), price: 5 };
      const [from, elsewhere] = [newAddress(), newAddress()];
      expect((await openAsGuest([{ product, quantity: 40 }], from)).body).toMatchObject({
        code: 'HOLD_LIMIT',
        message: `You can hold at most 10 of "${product.name}" at the price of its flash sale at once.`,
      });
      expect((await openAsGuest([{ product, quantity: 10 }], from)).status).toBe(200);
      expect((await openAsGuest([{ product, quantity: 1 }], from)).body.message).toContain('from one network');
      // What is held unpaid may come back, so it does not make the share smaller.
      expect((await openAsGuest([{ product, quantity: 10 }], elsewhere)).status).toBe(200);
      expect(
        (await buyAsGuest(createShopper(shop.url, { from: newAddress() }), [{ product, quantity: 10 }])).status,
      ).toBe(201);
      expect((await openAsGuest([{ product, quantity: 8 }], newAddress())).status).toBe(409);
      expect((await openAsGuest([{ product, quantity: 7 }], newAddress())).status).toBe(200);
      // Above what the sale has left the price is the regular one, of which there are more.
      const regular = { ...product, price: 10 };
      expect((await openAsGuest([{ product: regular, quantity: 20 }], from)).status).toBe(200);
    },
  );

  it('holds at most 20 unpaid orders, and an abandoned or paid order makes room', async () => {
    const product = await makeProduct(shop.deps, { items: 100 });
    const from = newAddress();
    const first = createShopper(shop.url, { from });
    const opened = await first.openPayment([{ product, quantity: 1 }], { email: newEmail() });
    for (let order = 2; order <= 20; order += 1) {
      await forgetCalls();
      expect((await openAsGuest([{ product, quantity: 1 }], from)).status).toBe(200);
    }
    expect((await openAsGuest([{ product, quantity: 1 }], from)).body.message).toBe(HELD_BY_NETWORK);
    await first.post('/api/digital-orders/guest/checkout/abandon', {
      orderId: opened.body.orderId,
      pageIsClosed: false,
    });
    await forgetCalls();
    expect((await buyAsGuest(createShopper(shop.url, { from }), [{ product, quantity: 1 }])).status).toBe(201);
    expect((await openAsGuest([{ product, quantity: 1 }], from)).status).toBe(200);
  });
});

describe('an IPv6 network', () => {
  it('is a /64, and a /48 may hold ten times as much', async () => {
    const product = await makeProduct(shop.deps, { items: 1000 });
    const fifty = [{ product, quantity: 50 }];
    expect((await openAsGuest(fifty, '2001:db8:7:0::1')).status).toBe(200);
    expect((await openAsGuest([{ product, quantity: 1 }], '2001:db8:7:0:ffff::2')).status).toBe(409);
    for (let subnet = 1; subnet <= 9; subnet += 1) {
      expect((await openAsGuest(fifty, `2001:db8:7:${subnet}::1`)).status).toBe(200);
    }
    expect((await openAsGuest([{ product, quantity: 1 }], '2001:db8:7:a::1')).body.message).toBe(
      heldByNetwork(500, 200),
    );
    expect((await openAsGuest([{ product, quantity: 1 }], '2001:db8:8:a::1')).status).toBe(200);
    expect((await openAsGuest([{ product, quantity: 1 }], '2001:db8:6:ffff::1')).status).toBe(200);
  });
});

describe('a buyer', () => {
  it('has at most 3 unpaid orders per checkout cookie, even with concurrent calls', async () => {
    const product = await makeProduct(shop.deps, { items: 100 });
    const from = newAddress();
    const browser = createShopper(shop.url, { from });
    const guest = { email: newEmail() };
    const { orderId } = (await browser.openPayment([{ product, quantity: 1 }], guest)).body;
    const calls = Array.from({ length: 9 }, (_, tab) => () => {
      const tabOf = createShopper(shop.url, { from });
      for (const [name, value] of browser.cookies) tabOf.cookies.set(name, value);
      return tabOf.openPayment([{ product, quantity: (tab % 2) + 2 }], guest);
    });
    // A later call would find the order of another, and replace it.
    const answers = await startWhileLocked(shop.deps.db, (trx) => lockOrder(trx, String(orderId)), calls);
    const open = await shop.deps.db
      .selectFrom('orders')
      .select('id')
      .where('contact_email', '=', guest.email)
      .where('state', '=', 'pending')
      .execute();
    expect(open).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(6);
    for (const { body } of refused) {
      expect(body).toMatchObject({
        code: 'HOLD_LIMIT',
        message: 'You have 3 unpaid orders, which is the most at once. Finish or leave your other checkout first.',
      });
    }
  });

  it('has at most 3 unpaid orders per account across devices', async () => {
    const product = await makeProduct(shop.deps, { items: 100 });
    const { email } = await makeUser(shop.deps);
    const statuses: number[] = [];
    for (let device = 0; device < 4; device += 1) {
      const buyer = createShopper(shop.url, { from: newAddress() });
      await buyer.signIn(email, TEST_PASSWORD);
      statuses.push((await buyer.openPayment([{ product, quantity: 1 }])).status);
    }
    expect(statuses).toEqual([200, 200, 200, 409]);
  });

  it('who is signed in is counted separately from guests at the same IP address', async () => {
    const product = await makeProduct(shop.deps, { items: 1000 });
    const from = newAddress();
    expect((await openAsGuest([{ product, quantity: 50 }], from)).status).toBe(200);
    expect((await openAsGuest([{ product, quantity: 1 }], from)).status).toBe(409);
    const customer = await signIn(from);
    expect((await customer.openPayment([{ product, quantity: 50 }])).status).toBe(200);

    const elsewhere = newAddress();
    const first = await signIn(elsewhere);
    expect((await first.openPayment([{ product, quantity: 50 }])).status).toBe(200);
    expect((await openAsGuest([{ product, quantity: 50 }], elsewhere)).status).toBe(200);
    const second = await signIn(elsewhere);
    expect((await second.openPayment([{ product, quantity: 1 }])).body.code).toBe('HOLD_LIMIT');
  });

  it('who has paid before may hold 200 units of any product, not counted for the IP address', async () => {
    const product = await makeProduct(shop.deps, { items: 202 });
    const from = newAddress();
    const customer = await signIn(from);
    const cart = [{ product, quantity: 1 }];
    const opened = await customer.openPayment(cart);
    await customer.confirmCard(opened.body.clientSecret ?? '');
    expect((await customer.placeOrder(cart, opened.body.clientSecret ?? '')).status).toBe(201);

    expect((await customer.openPayment([{ product, quantity: 100 }])).status).toBe(200);
    customer.cookies.clear();
    expect((await customer.openPayment([{ product, quantity: 100 }])).status).toBe(200);
    customer.cookies.clear();
    expect((await customer.openPayment(cart)).body.message).toBe(
      'You can hold at most 200 items at once. Finish or leave your other checkout first.',
    );
    expect((await openAsGuest(cart, from)).status).toBe(200);
  });

  it('is not limited by other checkouts with the same email', async () => {
    const product = await makeProduct(shop.deps, { items: 100 });
    const email = newEmail();
    for (let other = 0; other < 5; other += 1) {
      expect((await openAsGuest([{ product, quantity: 5 }], newAddress(), email)).status).toBe(200);
    }
    expect((await openAsGuest([{ product, quantity: 5 }], newAddress(), email)).status).toBe(200);
  });
});

describe('a shopper', () => {
  const readProduct = async (of: TestShop, { id }: MadeProduct) =>
    (await createShopper(of.url).get(`/api/digital-products/${id}`)).body.data;

  it('sees how many units a guest may hold, and whether goods out of stock are reserved', async () => {
    const [many, last] = [await makeProduct(shop.deps, { items: 44 }), await makeProduct(shop.deps, { items: 1 })];
    expect(await readProduct(shop, many)).toMatchObject({ stock: 44, reserved: false, maxPerGuest: 11 });
    await openAsGuest(
      [
        { product: many, quantity: 11 },
        { product: last, quantity: 1 },
      ],
      newAddress(),
    );
    expect(await readProduct(shop, many)).toMatchObject({ stock: 33, reserved: false, maxPerGuest: 11 });
    expect(await readProduct(shop, last)).toMatchObject({ stock: 0, reserved: true, maxPerGuest: 5 });
    const late = await openAsGuest([{ product: last, quantity: 1 }], newAddress());
    expect(late.body).toMatchObject({
      code: 'OUT_OF_STOCK',
      message: `"${last.name}" is out of stock. Reserved by another buyer, it may be back in a few minutes`,
    });
  });

  it.each(kindsOfGoods)(
    'sees that their own checkout on another device holds the last unit of %s goods',
    async (kind) => {
      const last = await makeGoods(shop.deps, kind, 1);
      const { email } = await makeUser(shop.deps);
      const [phone, laptop] = [createShopper(shop.url), createShopper(shop.url)];
      for (const device of [phone, laptop]) await device.signIn(email, TEST_PASSWORD);
      expect((await phone.openPayment([{ product: last, quantity: 1 }])).status).toBe(200);
      expect((await laptop.openPayment([{ product: last, quantity: 1 }])).body).toMatchObject({
        code: 'OUT_OF_STOCK',
        message: `"${last.name}" is out of stock. You have reserved it in another tab or on another device: pay there, or try again in a few minutes`,
      });
    },
  );

  it.each(kindsOfGoods)(
    'who has bought %s goods before sees that another buyer reserves the last unit',
    async (kind) => {
      const last = await makeGoods(shop.deps, kind, 2);
      const { email } = await makeUser(shop.deps);
      const browser = createShopper(shop.url);
      await browser.signIn(email, TEST_PASSWORD);
      await browser.buy([{ product: last, quantity: 1 }]);
      await openAsGuest([{ product: last, quantity: 1 }], newAddress());
      const { message } = (await browser.openPayment([{ product: last, quantity: 1 }])).body;
      expect(message).toBe(
        `"${last.name}" is out of stock. Reserved by another buyer, it may be back in a few minutes`,
      );
    },
  );

  it('sees that a product is sold out once its last unit is paid', async () => {
    const last = await makeProduct(shop.deps, { items: 1 });
    await buyAsGuest(createShopper(shop.url, { from: newAddress() }), [{ product: last, quantity: 1 }]);
    expect(await readProduct(shop, last)).toMatchObject({ stock: 0, reserved: false });
    const late = await openAsGuest([{ product: last, quantity: 1 }], newAddress());
    expect(late.body).toMatchObject({ code: 'OUT_OF_STOCK', message: `"${last.name}" is sold out` });
  });

  it('has no limit on held units with RATE_LIMITS=off', async () => {
    const product = await makeProduct(unlimited.deps, { items: 100 });
    expect(await readProduct(unlimited, product)).toMatchObject({ stock: 100, maxPerGuest: null });
    const guest = createShopper(unlimited.url);
    expect((await guest.openPayment([{ product, quantity: 100 }], { email: newEmail() })).status).toBe(200);
  });
});

describe('a drop', () => {
  // The long form, with 10,000 buyers: DROP_BUYERS=10000 npx vitest run test/attacks/stock-holding.test.ts -t drop
  const BUYERS = Number(process.env['DROP_BUYERS'] ?? 300);
  const KEYS = BUYERS / 100;
  const NETWORKS = BUYERS / 50;

  it(`of ${KEYS} keys sells each key once, to ${KEYS} of ${BUYERS} buyers behind ${NETWORKS} IP addresses`, {
    timeout: 600_000,
  }, async () => {
    const product = await makeProduct(shop.deps, { items: KEYS });
    const cart = [{ product, quantity: 1 }];
    const outcomes = new Map<string, number>();
    let next = 0;
    // As many at once as a browser farm or a busy evening brings, and no more than this machine has sockets for.
    const queue = async () => {
      while (next < BUYERS) {
        const buyer = next;
        next += 1;
        const from = `198.18.${Math.floor((buyer % NETWORKS) / 200)}.${(buyer % NETWORKS) % 200}`;
        const { status, body } = await buyAsGuest(createShopper(shop.url, { from }), cart);
        const outcome = status === 201 ? 'bought' : String(body.code ?? 'refused');
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 60 }, queue));
    expect(outcomes.get('bought')).toBe(KEYS);
    expect(await countStockOnSale(shop.deps.db, product.id)).toEqual({ available: 0, held: 0 });
    const sold = await shop.deps.db
      .selectFrom('items')
      .innerJoin('order_lines', 'order_lines.id', 'order_line_id')
      .select(['items.state', 'order_id'])
      .where('items.product_id', '=', product.id)
      .execute();
    expect(new Set(sold.map(({ order_id }) => order_id)).size).toBe(KEYS);
    expect(sold.every(({ state }) => state === 'sold')).toBe(true);
  });
});
