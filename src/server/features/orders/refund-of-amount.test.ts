import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { checkBooksOf } from '../../../../test/books.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const [desk, other] = [await openAdminOrders(shop), await openAdminOrders(shop)];

const reason = 'A slow delivery';
const refund = (orderId: string, body: object, by = desk) => by.act(orderId, 'refund', { reason, ...body });
const expectBooksInOrder = async () => expect((await checkBooksOf(shop.deps)).faults).toEqual([]);
const REFUSED = { status: 409, body: { code: 'REFUND_REFUSED' } };

test('a refund of an amount leaves the buyer the goods and shows on the order, in the list and in a mail', async () => {
  const { orderId, buyer, guest, keys, products } = await buyAsGuest(shop, { quantity: 1 });
  const { page } = await refund(orderId, { amount: 2.5 });
  expect(page).toMatchObject({
    status: 'Delivered',
    state: 'fulfilled',
    refundStatus: 'Partly refunded',
    refundedPrice: 2.5,
    refundable: true,
    refunds: [{ amount: 2.5, reason, state: 'done', items: [] }],
    lines: [{ refundedQuantity: 0, items: [{ state: 'sold' }] }],
  });
  expect(await keys()).toEqual(products[0]?.keys);
  expect((await buyer.get('/api/digital-orders/myorders')).body.data).toMatchObject([
    { refundStatus: 'Partly refunded', refundedPrice: 2.5, refunds: [{ amount: 2.5, items: [] }] },
  ]);
  await expect.poll(async () => (await mailsTo(shop, guest.email)).at(-1)?.text).toContain('$2.50');
  await expectBooksInOrder();

  // A refund of all that is left withdraws the goods.
  expect((await refund(orderId, {})).page).toMatchObject({ state: 'refunded', refundedPrice: 10.6 });
  expect(await keys()).toEqual([]);
  await expectBooksInOrder();
});

test('a refund of an amount can be as large as an order', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 3, price_cents: 10_000_000 });
  expect((await refund(orderId, { amount: 317_999.99 })).page).toMatchObject({ refundedPrice: 317_999.99 });
});

test('a refund of an amount never reaches all that is left, whether alone, concurrent or with units', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 2 });
  const line = (await desk.page(orderId)).lines[0]?._id;
  for (const amount of [21.2, 21.21, 9_999]) expect(await refund(orderId, { amount })).toMatchObject(REFUSED);
  expect((await desk.page(orderId)).refundedPrice).toBe(0);
  for (const amount of [0, -1, 1.005, 'all']) expect((await refund(orderId, { amount })).status).toBe(400);
  expect((await refund(orderId, { amount: 1, lines: [{ line, quantity: 1 }] })).status).toBe(400);

  const answers = await Promise.all([refund(orderId, { amount: 11 }), refund(orderId, { amount: 11 }, other)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  // One unit costs 10.60, and 10.20 are left.
  const units = await refund(orderId, { lines: [{ line, quantity: 1 }] });
  expect(units.body.message).toBe('Only $10.20 of this order is left: refund all that is left, or less');
  expect((await refund(orderId, { lines: [{ line, quantity: 2 }] })).page).toMatchObject({
    state: 'refunded',
    refundedPrice: 21.2,
  });
  await expectBooksInOrder();
});

test('a refund of an amount sent twice by the same dialog is made once', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 1 });
  const draft = randomUUID();
  const answers = await Promise.all([refund(orderId, { amount: 3, draft }), refund(orderId, { amount: 3, draft })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await desk.page(orderId)).toMatchObject({ refundedPrice: 3, refunds: [{ amount: 3 }] });
});

const givenBefore = (dollars: string) => ({
  status: 409,
  body: { code: 'REFUND_REFUSED', field: 'draft', message: expect.stringContaining(`has refunded ${dollars} already`) },
});

test('a refund sent again by the same dialog with other values is refused, with the amount already refunded', async () => {
  const { orderId } = await buyAsGuest(shop, { quantity: 3 });
  const line = (await desk.page(orderId)).lines[0]?._id;
  const units = (quantity: number) => ({ lines: [{ line, quantity }] });

  const amount = { amount: 5, message: 'Sorry', draft: randomUUID() };
  expect((await refund(orderId, amount)).status).toBe(200);
  const { amount: _, ...all } = amount;
  const changed = [{ ...amount, amount: 8 }, all, { ...all, ...units(1) }];
  const reworded = [
    { ...amount, message: 'Sorry for it' },
    { ...amount, reason: 'A rude answer' },
  ];
  for (const other of [...changed, ...reworded]) {
    expect(await refund(orderId, other)).toMatchObject(givenBefore('$5.00'));
  }
  expect(await desk.page(orderId)).toMatchObject({ refundedPrice: 5, refunds: [{ amount: 5, message: 'Sorry' }] });

  const one = { ...units(1), draft: randomUUID() };
  expect((await refund(orderId, one)).status).toBe(200);
  for (const other of [{ ...one, ...units(2) }, { draft: one.draft }, { draft: one.draft, amount: 10.6 }]) {
    expect(await refund(orderId, other)).toMatchObject(givenBefore('$10.60'));
  }
  expect((await desk.page(orderId)).refundedPrice).toBe(15.6);

  // All units that are left are all that is left, by either name.
  const rest = { ...units(2), draft: randomUUID() };
  const answers = [
    await refund(orderId, rest),
    await refund(orderId, rest),
    await refund(orderId, { draft: rest.draft }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const other of [units(1), { amount: 16.2 }]) {
    expect(await refund(orderId, { draft: rest.draft, ...other })).toMatchObject(givenBefore('$16.20'));
  }
  expect(await desk.page(orderId)).toMatchObject({ state: 'refunded', refundedPrice: 31.8 });
  await expectBooksInOrder();
});
