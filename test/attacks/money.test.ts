import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/shared/durations.ts';
import { openAdminOrders } from '../admin-orders.ts';
import { type MadeProduct, makePhysicalProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper, intentIdOf, orderItems, totalOf } from '../shopper.ts';
import { openTestShop, PATIENT } from '../test-shop.ts';

const shop = await openTestShop({ ...PATIENT, deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);

const fromNow = (ms: number) => new Date(shop.deps.clock.now().getTime() + ms).toISOString();
const edit = (id: string, body: object) => desk.admin.send('PUT', `/api/digital-products/${id}`, body);
const rowOf = (id = '') => shop.deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const guestOf = (name: string) => ({ email: `${name}-${Math.random()}@example.com`, password: 'a-guest-chooses' });
/** Returns what a guest pays at the moment, without tax, in dollars. Each call opens a payment. */
async function priceNow(product: MadeProduct, quantity = 1): Promise<number> {
  const { body } = await createShopper(shop.url).openPayment([{ product, quantity }], guestOf('asks'));
  return (body['validatedAmounts'] as { itemsPrice: number }).itemsPrice;
}

/** Opens a guest's order: quoted and its goods held, not paid yet. */
async function quoted(product: MadeProduct, quantity = 1) {
  const [buyer, guest, cart] = [createShopper(shop.url), guestOf('quoted'), [{ product, quantity }]];
  const { body } = await buyer.openPayment(cart, guest);
  const secret = body.clientSecret ?? '';
  const details = { guestEmail: guest.email, guestName: 'Guest Buyer', guestPassword: guest.password };
  return {
    orderId: body.orderId ?? '',
    total: (body['validatedAmounts'] as { totalPrice: number }).totalPrice,
    /** Confirms the card; returns the charged amount in cents. */
    confirm: async () => Number((await buyer.confirmCard(secret)).body['amount']),
    place: (change: object = {}) =>
      buyer.post('/api/digital-orders/guest', {
        orderItems: orderItems(cart),
        paymentResult: { id: intentIdOf(secret), status: 'succeeded' },
        totalPrice: totalOf(cart),
        ...details,
        ...change,
      }),
    again: () => buyer.openPayment(cart, guest),
  };
}

describe('a quantity', () => {
  const none = [0, -1, 0.5, 1e9, 101, '1', Number.NaN, [1], null, true, 1e308, '1e1', 2 ** 53];

  it.each(none)('that is invalid is refused in an order, a cart and a refund: %j', async (quantity) => {
    const product = await makeProduct(shop.deps);
    const order = await quoted(product);
    const [line] = orderItems([{ product, quantity: 1 }]);
    const wrong = await order.place({ orderItems: [{ ...line, quantity }] });
    expect(wrong).toMatchObject({ status: 400, body: { field: 'orderItems.0.quantity' } });
    expect(await rowOf(order.orderId)).toMatchObject({ state: 'pending' });
    const refund = { reason: 'x', lines: [{ line: product.id, quantity }] };
    expect(await desk.act(order.orderId, 'refund', refund)).toMatchObject({
      status: 400,
      body: { field: 'lines.0.quantity' },
    });
    const customer = createShopper(shop.url);
    await customer.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    expect((await customer.send('PUT', `/api/users/cart/${product.id}`, { quantity })).status).toBe(400);
  });

  it('split over several lines counts as their sum, with the same limit', async () => {
    const product = await makeProduct(shop.deps, { items: 120, price_cents: 100 });
    const ask = (...quantities: number[]) =>
      createShopper(shop.url).post('/api/digital-orders/guest/create-payment-intent', {
        orderItems: quantities.flatMap((quantity) => orderItems([{ product, quantity }])),
        guestEmail: 'parts@example.com',
        guestName: 'Guest',
      });
    expect((await ask(100, 20)).body).toMatchObject({ code: 'VALIDATION_FAILED', field: 'orderItems' });
    const { body } = await ask(1, 2);
    expect(body).toMatchObject({ validatedAmounts: { itemsPrice: 3 } });
  });

  it('worth more than a card can be charged is refused when the payment is opened', async () => {
    const product = await makeProduct(shop.deps, { items: 10, price_cents: 10_000_000 });
    const { status, body } = await createShopper(shop.url).openPayment([{ product, quantity: 10 }], guestOf('rich'));
    expect([status, body.message]).toEqual([400, 'An order can be worth at most $999,999.99']);
  });
});

describe('an amount sent by the browser', () => {
  it.each([
    ['a total 0.02 above', (total: number) => ({ totalPrice: total + 0.02 }), 409],
    ['a total 0.02 below', (total: number) => ({ totalPrice: total - 0.02 }), 409],
    ['no total', () => ({ totalPrice: undefined }), 400],
    ['a total as text', () => ({ totalPrice: '10.60' }), 400],
    ['a total that is not a number', () => ({ totalPrice: Number.NaN }), 400],
    ['a total of zero', () => ({ totalPrice: 0 }), 409],
    ['a negative total', () => ({ totalPrice: -10.6 }), 409],
    ['a total of 1e308', () => ({ totalPrice: 1e308 }), 409],
    ['a total 0.01 above', (total: number) => ({ totalPrice: total + 0.01 }), 201],
    ['a total 0.01 below', (total: number) => ({ totalPrice: total - 0.01 }), 201],
    ['additional prices', () => ({ itemsPrice: 0.01, taxPrice: -1, shippingPrice: -9 }), 201],
    ['another currency', () => ({ currency: 'IDR', paymentResult_amount: 1 }), 201],
  ])('is compared with the order and never charged: %s', async (_what, change, status) => {
    const product = await makeProduct(shop.deps);
    const order = await quoted(product);
    expect(await order.confirm()).toBe(1060);
    expect((await order.place(change(order.total))).status).toBe(status);
    expect(await rowOf(order.orderId)).toMatchObject({
      state: status === 201 ? 'fulfilled' : 'pending',
      items_cents: 1000,
      total_cents: 1060,
    });
  });

  it.each([0.01, -1, 0, 1e308, -0.0001])('does not set the price: %d for each line', async (price) => {
    const product = await makeProduct(shop.deps);
    const order = await quoted({ ...product, price });
    expect([order.total, await order.confirm()]).toEqual([10.6, 1060]);
    const lines = orderItems([{ product: { ...product, price }, quantity: 1 }]);
    const placed = await order.place({ orderItems: lines, totalPrice: 10.6 });
    expect(placed.body.data).toMatchObject({ totalPrice: 10.6, orderItems: [{ price: 10 }] });
  });

  it('cannot change the order: lines that differ from the paid ones are refused', async () => {
    const [paid, dear] = [
      await makeProduct(shop.deps, { items: 5 }),
      await makeProduct(shop.deps, { price_cents: 9000 }),
    ];
    const order = await quoted(paid, 2);
    await order.confirm();
    const one = (product: MadeProduct, quantity: number) => orderItems([{ product, quantity }]);
    for (const lines of [one(paid, 1), one(paid, 3), one(dear, 2), [...one(paid, 2), ...one(dear, 1)]]) {
      const answer = await order.place({ orderItems: lines });
      expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_MISMATCH' } });
    }
    expect(await rowOf(order.orderId)).toMatchObject({ state: 'pending', total_cents: 2120 });
    expect((await order.place({ orderItems: [...one(paid, 1), ...one(paid, 1)] })).status).toBe(201);
  });
});

describe('a sale', () => {
  it.each([
    ['discount', (dates: object) => ({ discount: { type: 'percentage', value: 50, ...dates } })],
    ['flash sale', (dates: object) => ({ flashSale: { price: 5, ...dates } })],
  ])('by %s starts and ends by the shop’s clock only', async (_what, sale) => {
    const product = await makeProduct(shop.deps, { items: 20 });
    await edit(product.id, sale({ startDate: fromNow(HOUR_MS), endDate: fromNow(2 * HOUR_MS) }));
    const early = await createShopper(shop.url).send(
      'POST',
      '/api/digital-orders/guest/create-payment-intent',
      { orderItems: orderItems([{ product, quantity: 1 }]), guestEmail: 'early@example.com', guestName: 'Early' },
      { date: fromNow(HOUR_MS), 'x-now': fromNow(HOUR_MS) },
    );
    expect(early.body).toMatchObject({ validatedAmounts: { itemsPrice: 10 } });
    shop.pass(HOUR_MS);
    expect(await priceNow(product)).toBe(5);
    const running = await quoted(product);
    // The late order is 14 minutes old when the sale is over, and no sweeper has released it.
    shop.pass(46 * 60_000);
    const late = await quoted(product);
    shop.pass(14 * 60_000);
    expect(await priceNow(product)).toBe(10);
    expect([await late.confirm(), (await late.place({ totalPrice: 5.3 })).status]).toEqual([530, 201]);
    // The first quote has expired, so its buyer gets a new one.
    expect((await running.again()).body).toMatchObject({ validatedAmounts: { itemsPrice: 10 } });
  });

  it('of five units gives its price to exactly five of fifty concurrent buyers', async () => {
    const product = await makeProduct(shop.deps, { items: 50 });
    await edit(product.id, { flashSale: { price: 1, limitedStock: 5 } });
    const totals = await Promise.all(Array.from({ length: 50 }, () => priceNow(product)));
    expect(totals.filter((total) => total === 1)).toHaveLength(5);
    expect(totals.filter((total) => total === 10)).toHaveLength(45);
  });

  it('applies to whole lines only, and gets the units of cancelled orders back', async () => {
    const product = await makeProduct(shop.deps, { items: 20 });
    await edit(product.id, { flashSale: { price: 1, limitedStock: 5 } });
    const greedy = await quoted(product, 4);
    expect([greedy.total, await priceNow(product, 2)]).toEqual([4.24, 20]);
    await desk.act(greedy.orderId, 'status', { status: 'Cancelled' });
    expect(await priceNow(product, 5)).toBe(5);
  });

  it.each([
    { discount: { type: 'fixed', value: 10 } },
    { discount: { type: 'percentage', value: 100 } },
    { discount: { type: 'percentage', value: 99.99 } },
    { flashSale: { price: 0 } },
    { flashSale: { price: 0 }, discount: { type: 'percentage', value: 100 } },
  ])('never lowers the price below one cent per unit: %j', async (sale) => {
    const product = await makeProduct(shop.deps, { items: 101 });
    await edit(product.id, sale);
    expect([await priceNow(product, 100), await priceNow(product)]).toEqual([1, 0.01]);
  });
});

describe('a product', () => {
  const prices = [0, -1, -0.01, 0.001, 0.009, 1e12, 1e308, 2 ** 53, '10', '', null, Number.NaN, [10], true, { usd: 1 }];

  it.each(prices)('is refused with an invalid price: %j', async (price) => {
    const [{ id }, goods] = [await makeProduct(shop.deps), await makePhysicalProduct(shop.deps)];
    const game = { name: 'G', description: 'G', category: 'VPN', image: '/a.svg', price };
    const mouse = { ...game, brand: 'K', category: 'Mice', stock: 1, isActive: true };
    for (const answer of [
      await desk.admin.post('/api/digital-products', game),
      await edit(id, { price }),
      await desk.admin.post('/api/admin/products', mouse),
      await desk.admin.send('PUT', `/api/admin/products/${goods}`, { price }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { field: 'price' } });
    }
    // 0 is allowed as a price in a sale, where it becomes one cent.
    if (price === 0) return;
    const wrong = { status: 400, body: { field: 'flashSale.price' } };
    expect(await edit(id, { flashSale: { price } })).toMatchObject(wrong);
  });

  it.each([
    [{ discount: { type: 'percentage', value: 100.01 } }, 'discount.value'],
    [{ discount: { type: 'percentage', value: 33.333 } }, 'discount.value'],
    [{ discount: { type: 'percentage', value: '50' } }, 'discount.value'],
    [{ discount: { type: 'percentage', value: Number.NaN } }, 'discount.value'],
    [{ discount: { type: 'fixed', value: 1e12 } }, 'discount.value'],
    [{ discount: { value: 5 } }, 'discount.type'],
    [{ discount: [] }, 'discount'],
    [{ discount: { type: 'fixed', value: 1, startDate: 5 } }, 'discount.startDate'],
    [{ flashSale: { price: 5, limitedStock: '5' } }, 'flashSale.limitedStock'],
    [{ flashSale: { price: 5, limitedStock: 1e9 } }, 'flashSale.limitedStock'],
    [{ flashSale: { price: 5, limitedStock: 0.5 } }, 'flashSale.limitedStock'],
    [{ flashSale: { price: 5, active: 'yes' } }, 'flashSale.active'],
    [{ flashSale: 5 }, 'flashSale'],
    [{ warranty: 1e9 }, 'warranty'],
    [{ warranty: -1 }, 'warranty'],
    [{ warranty: '30' }, 'warranty'],
  ] as [object, string][])('is refused with an invalid discount, flash sale or warranty: %j', async (wrong, field) => {
    const product = await makeProduct(shop.deps);
    const { status, body } = await edit(product.id, wrong);
    expect({ status, field: body['field'] }).toEqual({ status: 400, field });
    expect(await priceNow(product)).toBe(10);
  });

  it('that is inactive, deleted, physical or unknown cannot be ordered as a digital product', async () => {
    const [off, gone] = [await makeProduct(shop.deps), await makeProduct(shop.deps)];
    await edit(off.id, { isActive: false });
    await desk.admin.send('DELETE', `/api/digital-products/${gone.id}`);
    const mouse = { ...off, id: await makePhysicalProduct(shop.deps) };
    const none = { ...off, id: '01900000-0000-7000-8000-000000000000' };
    const there = await makeProduct(shop.deps);
    for (const product of [off, gone, mouse, none]) {
      const cart = [there, product].map((one) => ({ product: one, quantity: 1 }));
      const answer = await createShopper(shop.url).openPayment(cart, guestOf('late'));
      expect(answer).toMatchObject({ status: 409, body: { code: 'PRODUCT_UNAVAILABLE' } });
    }
    expect(await priceNow(there)).toBe(10);
  });
});

describe('a product edit during a checkout', () => {
  const flash = () => ({ flashSale: { price: 1, endDate: fromNow(HOUR_MS) } });
  it.each([
    ['dearer', () => ({ price: 99 }), 99],
    ['cheaper', () => ({ price: 2 }), 2],
    ['a sale', flash, 1],
    ['renamed', () => ({ name: 'Other', category: 'VPN' }), 10],
  ])('(%s) keeps the quote, and the next buyer gets the new price', async (_what, change, price) => {
    const product = await makeProduct(shop.deps, { items: 3 });
    const order = await quoted(product);
    expect((await edit(product.id, change())).status).toBe(200);
    expect(await priceNow(product)).toBe(price);
    const seen = { orderItems: orderItems([{ product, quantity: 1 }]), guestName: 'G', totalPrice: 10.6 };
    const stale = await createShopper(shop.url).post('/api/digital-orders/guest/create-payment-intent', {
      ...seen,
      guestEmail: guestOf('stale').email,
    });
    expect(stale.body.code).toBe(price === 10 ? undefined : 'PRICE_CHANGED');
    expect((await order.again()).body.orderId).toBe(order.orderId);
    expect(await order.confirm()).toBe(1060);
    const placed = await order.place();
    expect([placed.status, placed.body.data?.['totalPrice']]).toEqual([201, 10.6]);
  });

  it.each(['deactivated', 'deleted'])(
    '(%s) keeps the goods for the quoted buyer, and refuses other buyers',
    async (what) => {
      const product = await makeProduct(shop.deps, { items: 3 });
      const order = await quoted(product);
      if (what === 'deleted') await desk.admin.send('DELETE', `/api/digital-products/${product.id}`);
      else await edit(product.id, { isActive: false });
      expect([await order.confirm(), (await order.place()).status]).toEqual([1060, 201]);
      const late = await createShopper(shop.url).openPayment([{ product, quantity: 1 }], guestOf('late'));
      expect(late.body.code).toBe('PRODUCT_UNAVAILABLE');
    },
  );

  it('among 20 concurrent edits leaves each order one of the prices, which is charged as quoted', async () => {
    const product = await makeProduct(shop.deps, { items: 20 });
    const [orders] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => quoted(product))),
      Promise.all(Array.from({ length: 20 }, (_, index) => edit(product.id, { price: index % 2 ? 20 : 5 }))),
    ]);
    for (const order of orders) {
      expect([5.3, 10.6, 21.2]).toContain(order.total);
      expect(await order.confirm()).toBe(Math.round(order.total * 100));
      expect((await order.place({ totalPrice: order.total })).status).toBe(201);
    }
  });
});
