import { afterAll, describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { checkBooksOf } from '../../../../test/books.ts';
import { type MadeProduct, makeGoods } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import {
  createShopper,
  GUEST_PASSWORD,
  intentIdOf,
  orderItems,
  type Shopper,
  TEST_ADDRESS,
  totalOf,
} from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { recordCounts } from '../catalog/counted-stock.queries.ts';
import { saveProduct } from '../catalog/products.queries.ts';
import { countStockOnSale } from '../inventory/inventory.queries.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);
const mouse = await makeGoods(shop.deps, 'physical', 40);
const game = await makeGoods(shop.deps, 'digital', 14);
afterAll(async () => {
  const { faults } = await checkBooksOf(shop.deps);
  expect(faults).toEqual([]);
});

let guests = 0;
const newGuest = () => {
  guests += 1;
  return { email: `parcel-${guests}@example.com` };
};
const stockOf = async ({ id }: MadeProduct) =>
  (await shop.deps.db.transaction().execute((trx) => countStockOnSale(trx, id))).available;

/** Two mice and a game, paid by a guest, who is signed in afterwards. */
async function buyMixed() {
  const buyer = createShopper(shop.url);
  const cart = [
    { product: mouse, quantity: 2 },
    { product: game, quantity: 1 },
  ];
  const { orderId, placed } = await buyer.buy(cart, newGuest());
  const { lines } = await desk.page(orderId);
  const lineOf = ({ id }: MadeProduct) => lines.find(({ product }) => product === id)?._id ?? '';
  return { buyer, orderId, placed, mice: lineOf(mouse), key: lineOf(game) };
}

describe('a cart', () => {
  it('with a key and goods to ship becomes one order: the key is delivered at once, the rest is Processing', async () => {
    const before = await stockOf(mouse);
    const { buyer, orderId, placed } = await buyMixed();
    expect(placed.body.data).toMatchObject({
      orderType: 'physical',
      status: 'Processing',
      hasItems: true,
      isPaid: true,
      itemsPrice: 30,
      taxPrice: 1.8,
      shippingPrice: 5.9,
      totalPrice: 37.7,
      shippingAddress: TEST_ADDRESS,
      parcels: [],
    });
    expect(await buyer.readKeys(orderId)).toHaveLength(1);
    expect(await stockOf(mouse)).toBe(before - 2);
  });

  it('with goods to ship is confirmed by a mail that the dashboard does not call a delivery', async () => {
    const product = await makeGoods(shop.deps, 'physical', 1);
    const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], newGuest());
    const { mails, timeline } = await desk.page(orderId);
    expect(mails.map(({ kind }) => kind)).toEqual(['order-confirmed']);
    expect(timeline.map(({ text }) => text)).toContainEqual(expect.stringContaining('Mail “Your order is confirmed”'));
  });

  it('with a key and goods to ship appears only in the list of physical orders', async () => {
    const { buyer } = await buyMixed();
    expect((await buyer.get('/api/orders/myorders')).body.data).toHaveLength(1);
    expect((await buyer.get('/api/digital-orders/myorders')).body.data).toEqual([]);
  });

  it('without goods to ship becomes a digital order without an address', async () => {
    const buyer = createShopper(shop.url);
    const guest = newGuest();
    const cart = [{ product: game, quantity: 1 }];
    const opened = await buyer.post('/api/orders/guest/create-payment-intent', {
      orderItems: orderItems(cart),
      guestEmail: guest.email,
      guestName: 'Guest Buyer',
      shippingAddress: TEST_ADDRESS,
    });
    const { clientSecret = '' } = opened.body;
    expect(opened.body['validatedAmounts']).toMatchObject({ shippingPrice: 0, totalPrice: 10.6 });
    await buyer.confirmCard(clientSecret);
    const placed = await buyer.post('/api/orders/guest', {
      orderItems: orderItems(cart),
      paymentResult: { id: intentIdOf(clientSecret) },
      totalPrice: totalOf(cart),
      guestEmail: guest.email,
      guestName: 'Guest Buyer',
      guestPassword: GUEST_PASSWORD,
    });
    expect(placed.body.data).toMatchObject({ orderType: 'digital', status: 'Delivered', shippingAddress: null });
  });

  it('with goods to ship cannot be bought through the endpoints for digital goods', async () => {
    const answer = await createShopper(shop.url).post('/api/digital-orders/guest/create-payment-intent', {
      orderItems: orderItems([{ product: mouse, quantity: 1 }]),
      guestEmail: 'nobody@example.com',
      guestName: 'Nobody',
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'PRODUCT_UNAVAILABLE' } });
  });
});

describe('the account that a guest gets by buying', () => {
  const addressOf = async (buyer: Shopper) => (await buyer.get('/api/auth/me')).body.data?.['address'];

  it('gets the shipping address of its first order', async () => {
    const { buyer } = await buyMixed();
    expect(await addressOf(buyer)).toEqual(TEST_ADDRESS);
  });

  it('gets no address from an order without shipping', async () => {
    const buyer = createShopper(shop.url);
    await buyer.buy([{ product: game, quantity: 1 }], newGuest());
    expect(await addressOf(buyer)).toMatchObject({ street: '', city: '', zipCode: '', country: 'Malaysia' });
  });
});

describe('the stock of goods to ship', () => {
  it('is held by an unpaid order, shown to the next buyer as reserved, and released when the order is abandoned', async () => {
    const last = await makeGoods(shop.deps, 'physical', 1);
    const first = createShopper(shop.url);
    const { orderId } = (await first.openPayment([{ product: last, quantity: 1 }], newGuest())).body;
    expect(await stockOf(last)).toBe(0);
    const second = createShopper(shop.url);
    const refused = await second.openPayment([{ product: last, quantity: 1 }], newGuest());
    expect(refused).toMatchObject({ status: 409, body: { code: 'OUT_OF_STOCK' } });
    expect(refused.body.message).toContain('Reserved by another buyer');
    await first.post('/api/digital-orders/guest/checkout/abandon', { orderId, pageIsClosed: false });
    expect(await stockOf(last)).toBe(1);
    expect((await second.openPayment([{ product: last, quantity: 1 }], newGuest())).status).toBe(200);
  });

  it('accounts for units sold while an administrator counted', async () => {
    const shelf = await makeGoods(shop.deps, 'physical', 5);
    await createShopper(shop.url).buy([{ product: shelf, quantity: 2 }], newGuest());
    const put = (body: object) => desk.admin.send('PUT', `/api/admin/products/${shelf.id}`, body);
    expect((await put({ stock: 8, stockWas: 5 })).body.data).toMatchObject({ stock: 6 });
    expect(await put({ stock: 0, stockWas: 8 })).toMatchObject({ status: 400, body: { field: 'stock' } });
    expect(await put({ stock: 5, stockWas: -3e9 })).toMatchObject({ status: 400, body: { field: 'stockWas' } });
    expect((await put({ stock: 4 })).body.data).toMatchObject({ stock: 4 });
  });

  it('is sold to a buyer whose order waits for a transaction that raises it', async () => {
    const { db, clock } = shop.deps;
    const rare = await makeGoods(shop.deps, 'physical', 0);
    const restock = async (trx: Transaction) => {
      await saveProduct(trx, rare.id, { stock: 2 });
      await recordCounts(trx, [rare.id], clock.now());
    };
    const open = () => createShopper(shop.url).openPayment([{ product: rare, quantity: 2 }], newGuest());
    const [answer] = await startWhileLocked(db, restock, [open]);
    expect(answer).toMatchObject({ status: 200 });
    expect(await stockOf(rare)).toBe(0);
  });
});

describe('an address', () => {
  const open = (changes: object | undefined) =>
    createShopper(shop.url).post('/api/orders/guest/create-payment-intent', {
      orderItems: orderItems([{ product: mouse, quantity: 1 }]),
      guestEmail: newGuest().email,
      guestName: 'Guest Buyer',
      ...(changes && { shippingAddress: { ...TEST_ADDRESS, ...changes } }),
    });

  it.each<[string, object | undefined, string]>([
    ['left out', undefined, 'shippingAddress'],
    ['without a street', { street: ' ' }, 'shippingAddress.street'],
    ['with a postcode of another country', { zipCode: '3000' }, 'shippingAddress.zipCode'],
    ['without a postcode where there are postcodes', { zipCode: '' }, 'shippingAddress.zipCode'],
    ['with a state of another country', { state: 'Texas' }, 'shippingAddress.state'],
    ['in a country that is none', { country: 'Atlantis' }, 'shippingAddress.country'],
  ])('%s is refused, and the field is named', async (_what, changes, field) => {
    expect(await open(changes)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', field } });
  });

  it('gets country and state by name however they were typed, and free text for a country without a list', async () => {
    const typed = { country: 'us', state: 'ca', zipCode: '94107' };
    const answer = await open(typed);
    const { orderId = '' } = answer.body;
    const order = await desk.page(orderId);
    expect(order.shippingAddress).toMatchObject({ country: 'United States', state: 'California' });
    expect((await open({ country: 'Hong Kong SAR China', state: '', zipCode: '' })).status).toBe(200);
  });

  it('that changes before payment makes a new order to the new address', async () => {
    const buyer = createShopper(shop.url);
    const guest = newGuest();
    const pay = (street: string) =>
      buyer.post('/api/orders/guest/create-payment-intent', {
        orderItems: orderItems([{ product: mouse, quantity: 1 }]),
        guestEmail: guest.email,
        guestName: 'Guest Buyer',
        shippingAddress: { ...TEST_ADDRESS, street },
      });
    const [first, again, moved] = [await pay('1 Jalan Satu'), await pay('1 Jalan Satu'), await pay('2 Jalan Dua')];
    expect(again.body.orderId).toBe(first.body.orderId);
    expect(moved.body.orderId).not.toBe(first.body.orderId);
    expect((await desk.page(first.body.orderId ?? '')).state).toBe('cancelled');
  });
});

describe('a quote', () => {
  const quote = async (country?: string, quantity = 1) =>
    (
      await createShopper(shop.url).post('/api/orders/quote', {
        orderItems: orderItems([{ product: mouse, quantity }]),
        country,
      })
    ).body.data;

  it('has the shipping price once the country is known', async () => {
    expect(await quote()).toMatchObject({ needsShipping: true, shippingPrice: null, totalPrice: 10.6 });
    expect(await quote('Malaysia')).toMatchObject({ shippingPrice: 5.9, totalPrice: 16.5, freeShippingAbove: 100 });
    expect(await quote('SG')).toMatchObject({ shippingPrice: 14.9, freeShippingAbove: null });
    expect(await quote('Malaysia', 10)).toMatchObject({ shippingPrice: 0, totalPrice: 106 });
  });

  it('holds no stock', async () => {
    const before = await stockOf(mouse);
    await quote('Malaysia', 5);
    expect(await stockOf(mouse)).toBe(before);
  });
});

describe('parcels', () => {
  const way = { carrier: 'DHL', trackingNumber: 'MY 1' };

  it('ship an order in parts: Processing until all is shipped, Delivered when all has arrived', async () => {
    const { buyer, orderId, mice } = await buyMixed();
    const one = await desk.act(orderId, 'ship', { ...way, lines: [{ line: mice, quantity: 1 }] });
    expect(one.page).toMatchObject({ status: 'Processing', allowed: ['Shipped'] });
    expect(one.page.parcels).toMatchObject([
      { number: 1, trackingUrl: expect.stringContaining('MY%201'), items: [{ quantity: 1 }], deliveredAt: null },
    ]);
    const two = await desk.act(orderId, 'ship', { carrier: 'A friend', trackingNumber: 'none' });
    expect(two.page).toMatchObject({ status: 'Shipped', allowed: ['Delivered'] });
    expect(two.page.parcels[1]).toMatchObject({ carrier: 'A friend', trackingUrl: null, items: [{ quantity: 1 }] });
    const [first, second] = two.page.parcels;
    expect((await desk.act(orderId, 'deliver-parcel', { parcel: first?._id })).page.status).toBe('Shipped');
    expect((await desk.act(orderId, 'deliver-parcel', { parcel: second?._id })).page.status).toBe('Delivered');
    const [shown] = (await buyer.get('/api/orders/myorders')).body.data ?? [];
    expect(shown).toMatchObject({ status: 'Delivered', parcels: [{ number: 1 }, { number: 2 }] });
    expect((await desk.page(orderId)).mails.filter(({ kind }) => kind === 'order-shipped')).toHaveLength(2);
  });

  it('name in the timeline the administrator who shipped or delivered each', async () => {
    const { orderId, mice } = await buyMixed();
    const other = await openAdminOrders(shop);
    const { page } = await desk.act(orderId, 'ship', { ...way, lines: [{ line: mice, quantity: 1 }] });
    shop.pass(1_000);
    await other.act(orderId, 'ship', way);
    shop.pass(1_000);
    await other.act(orderId, 'deliver-parcel', { parcel: page.parcels[0]?._id });
    const { timeline } = await desk.page(orderId);
    const by = timeline.flatMap(({ kind, text }) => (kind === 'shipped' ? text.split(' by ').slice(-1) : []));
    expect(by).toEqual([desk.email, other.email]);
    expect(timeline.map(({ text }) => text)).toContain(`Parcel 1 delivered by ${other.email}`);
  });

  it('are shipped once per draft, and never hold more than was bought', async () => {
    const { orderId, mice, key } = await buyMixed();
    const draft = crypto.randomUUID();
    const lines = [{ line: mice, quantity: 1 }];
    for (const _press of ['first', 'second']) await desk.act(orderId, 'ship', { ...way, lines, draft });
    expect((await desk.page(orderId)).parcels).toHaveLength(1);
    for (const wrong of [[{ line: mice, quantity: 2 }], [{ line: key, quantity: 1 }]]) {
      const { status, body } = await desk.act(orderId, 'ship', { ...way, lines: wrong });
      expect([status, body.code]).toEqual([409, 'TRANSITION_REFUSED']);
    }
  });

  it('with the same draft but another number, carrier or units are refused', async () => {
    const { orderId, mice } = await buyMixed();
    const parcel = { ...way, lines: [{ line: mice, quantity: 1 }], draft: crypto.randomUUID() };
    expect((await desk.act(orderId, 'ship', parcel)).status).toBe(200);
    const others = [{ trackingNumber: 'MY 2' }, { carrier: 'A friend' }, { lines: [{ line: mice, quantity: 2 }] }];
    for (const other of [...others, { lines: undefined }]) {
      const { status, body } = await desk.act(orderId, 'ship', { ...parcel, ...other });
      expect([status, body.code, body.field]).toEqual([409, 'TRANSITION_REFUSED', 'draft']);
      expect(body.message).toContain(`has shipped a parcel already, with ${way.carrier}, tracking number MY 1`);
    }
    const all = { ...way, draft: crypto.randomUUID() };
    for (const _press of ['first', 'second']) expect((await desk.act(orderId, 'ship', all)).status).toBe(200);
    expect((await desk.page(orderId)).parcels).toMatchObject([
      { trackingNumber: 'MY 1' },
      { items: [{ quantity: 1 }] },
    ]);
  });

  it('with the same draft are refused for another order', async () => {
    const [first, second] = [await buyMixed(), await buyMixed()];
    const parcel = { ...way, draft: crypto.randomUUID() };
    expect((await desk.act(first.orderId, 'ship', parcel)).status).toBe(200);
    const { status, body } = await desk.act(second.orderId, 'ship', parcel);
    expect([status, body.code, body.field]).toEqual([409, 'TRANSITION_REFUSED', 'draft']);
    expect((await desk.page(second.orderId)).parcels).toEqual([]);
  });

  it('omit units refunded before: those return to the stock, refunded units that were shipped do not', async () => {
    const { orderId, mice, key } = await buyMixed();
    const before = await stockOf(mouse);
    await desk.act(orderId, 'ship', { ...way, lines: [{ line: mice, quantity: 1 }] });
    const refund = (line: string) =>
      desk.act(orderId, 'refund', { reason: 'Unwanted', lines: [{ line, quantity: 1 }] });
    expect((await refund(mice)).page).toMatchObject({ status: 'Shipped', refundedPrice: 10.6 });
    expect(await stockOf(mouse)).toBe(before + 1);
    expect((await refund(mice)).page).toMatchObject({ status: 'Shipped', refundedPrice: 21.2 });
    expect(await stockOf(mouse)).toBe(before + 1);
    // The refund of the last unit includes the shipping.
    expect((await refund(key)).page).toMatchObject({
      status: 'Cancelled',
      refundedPrice: 37.7,
      refundStatus: 'Refunded',
    });
    expect(await stockOf(mouse)).toBe(before + 1);
  });

  it('hold all units when the status becomes Shipped; the order can be cancelled only before', async () => {
    const { orderId } = await buyMixed();
    const before = await stockOf(mouse);
    const shipped = await desk.act(orderId, 'status', { status: 'Shipped', ...way });
    expect(shipped.page).toMatchObject({ status: 'Shipped', parcels: [{ items: [{ quantity: 2 }] }] });
    expect((await desk.act(orderId, 'status', { status: 'Cancelled' })).status).toBe(409);
    expect((await desk.act(orderId, 'status', { status: 'Delivered' })).page.status).toBe('Delivered');
    const other = await buyMixed();
    expect((await desk.act(other.orderId, 'status', { status: 'Cancelled' })).page.status).toBe('Cancelled');
    expect(await stockOf(mouse)).toBe(before);
  });
});
