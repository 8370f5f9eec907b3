import { expect, it } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { createShopper, orderItems } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { CART_FULL } from '../../../shared/cart-rules.ts';

const shop = await openTestShop();

const intentPath = '/api/digital-orders/guest/create-payment-intent';

it.each([0, -1, 0.5, 1e9, '1', null, [1], true])('refuses the quantity %j and names the field', async (quantity) => {
  const product = await makeProduct(shop.deps);
  const [item] = orderItems([{ product, quantity: 1 }]);
  const answer = await createShopper(shop.url).post(intentPath, {
    orderItems: [{ ...item, quantity }],
    guestEmail: 'quantity@example.com',
    guestName: 'Guest',
  });
  expect(answer).toMatchObject({ status: 400, body: { success: false, field: 'orderItems.0.quantity' } });
});

it('names the first invalid field of a guest’s request', async () => {
  const product = await makeProduct(shop.deps);
  const body = { orderItems: orderItems([{ product, quantity: 1 }]), guestEmail: 'a@example.com', guestName: 'Guest' };
  const wrong: [Record<string, unknown>, string][] = [
    [{ guestEmail: 'no address' }, 'guestEmail'],
    [{ guestEmail: 'a@example.com\r\nBcc: b@example.com' }, 'guestEmail'],
    [{ guestName: '' }, 'guestName'],
    [{ guestName: 'two\nlines' }, 'guestName'],
    [{ guestName: 'nul\u0000' }, 'guestName'],
    [{ guestName: '\ud800' }, 'guestName'],
    [{ orderItems: [] }, 'orderItems'],
    [{ orderItems: [{ product: "1' OR 1=1", name: 'x', quantity: 1, price: 1 }] }, 'orderItems.0.product'],
  ];
  for (const [change, field] of wrong) {
    const answer = await createShopper(shop.url).post(intentPath, { ...body, ...change });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', field } });
  }
});

it('says how many products an order may have when there are none or too many', async () => {
  const product = await makeProduct(shop.deps);
  const [item] = orderItems([{ product, quantity: 1 }]);
  const buyer = { guestEmail: 'many@example.com', guestName: 'Guest' };
  const order = async (lines: number) =>
    (await createShopper(shop.url).post(intentPath, { ...buyer, orderItems: Array(lines).fill(item) })).body;
  expect(await order(0)).toMatchObject({ field: 'orderItems', message: 'Your cart is empty' });
  expect(await order(51)).toMatchObject({ field: 'orderItems', message: CART_FULL });
});

it.each<[unknown, string, string]>([
  [{ email: 'a@example.com' }, 'password', '/api/auth/login'],
  [{ password: 'x' }, 'email', '/api/auth/login'],
  [{ email: 5, password: 'x' }, 'email', '/api/auth/login'],
  [{}, 'email', '/api/auth/login'],
  [{ pendingToken: 'x' }, 'twoFactorToken', '/api/auth/login'],
  [{ twoFactorToken: '123456' }, 'pendingToken', '/api/auth/login'],
  [[], 'body', '/api/auth/login'],
  [true, 'body', intentPath],
  [7, 'body', intentPath],
])('rejects the body %j and names the field %s', async (body, field, path) => {
  const answer = await createShopper(shop.url).send('POST', path, body as object);
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', field } });
  expect(answer.body.message).toMatch(/^[A-Za-z]/);
});

it('refuses a name of ten thousand emoji with 400', async () => {
  const product = await makeProduct(shop.deps);
  const answer = await createShopper(shop.url).post(intentPath, {
    orderItems: orderItems([{ product, quantity: 1 }]),
    guestEmail: 'emoji@example.com',
    guestName: '🎮'.repeat(10_000),
  });
  expect(answer.status).toBe(400);
});

it('treats SQL in a catalogue query as text, or refuses it with 400', async () => {
  const shopper = createShopper(shop.url);
  const bad = ['sort=price;drop', 'limit=-1', 'limit=1e9', 'cursor=bm9wZQ', 'ids=1,2'];
  for (const query of bad) expect(await shopper.get(`/api/digital-products?${query}`)).toMatchObject({ status: 400 });
  for (const query of ["category=x' OR 1=1--", "q=%25' OR 1=1"])
    expect(await shopper.get(`/api/digital-products?${query}`)).toMatchObject({ status: 200, body: { data: [] } });
  expect(await shopper.get('/api/digital-products/not-an-id')).toMatchObject({ status: 400 });
});

it('accepts a signed event that is about no payment, and names its type in the log', async () => {
  const provider = await openProviderDesk(shop.deps.db);
  const type = 'v1.billing.meter.error_report_triggered';
  const event = { id: 'evt_meter', object: 'v2.core.event', type, related_object: null };
  expect(await provider.deliver(shop.url, JSON.stringify(event))).toBe(200);
  expect(shop.logLines.filter((line) => line.includes(type))).toHaveLength(1);
});
