import { v7 as uuidv7 } from 'uuid';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { checkBooksOf } from '../../../../test/books.ts';
import { type MadeProduct, makeGoods, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { followDispute } from '../../../../test/lost-dispute.ts';
import { type Bought, buyAsGuest } from '../../../../test/purchases.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import { noticeTitle, type OwnerNotice } from '../../../shared/notices.ts';
import type { OrderPage } from '../../../shared/order-page.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { countStockOnSale, insertReveals } from '../inventory/inventory.queries.ts';
import { finishRefunds } from '../orders/finish-refunds.ts';
import { cancelByBuyer } from './order-page.routes.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);
afterAll(async () => {
  const { faults } = await checkBooksOf(shop.deps);
  expect(faults).toEqual([]);
});

const cancel = (buyer: Shopper, orderId: string) => buyer.post(`/api/orders/mine/${orderId}/cancel`);
const pageOf = async (buyer: Shopper, orderId: string) =>
  (await buyer.get(`/api/orders/mine/${orderId}`)).body.data as unknown as OrderPage;
const onSale = async (product: MadeProduct | undefined) =>
  (await shop.deps.db.transaction().execute((trx) => countStockOnSale(trx, product?.id ?? ''))).available;
const stateOf = async (orderId: string) => (await desk.page(orderId)).state;
const refusal = { status: 409, body: { code: 'TRANSITION_REFUSED' } };

/** Buys two of five mice and two of three keys; nothing of the order is shipped or seen. */
async function buyMixed(email: string) {
  const mouse = await makeGoods(shop.deps, 'physical', 5);
  const game = await makeProduct(shop.deps, { items: 3 });
  const buyer = createShopper(shop.url);
  const cart = [
    { product: mouse, quantity: 2 },
    { product: game, quantity: 2 },
  ];
  const { orderId } = await buyer.buy(cart, { email });
  return { mouse, game, buyer, orderId };
}

/** Buys units that a person delivers, and nothing else. */
async function buyManual(email: string, quantity: number) {
  const topUp = await makeGoods(shop.deps, 'manual', 5);
  const buyer = createShopper(shop.url);
  const { orderId } = await buyer.buy([{ product: topUp, quantity }], { email });
  const line = (await desk.page(orderId)).lines[0]?._id;
  const deliver = (unit: number) => desk.act(orderId, 'deliver-unit', { line, unit, content: 'sent' });
  return { topUp, buyer, orderId, deliver };
}

/** A customer with orders of one unread key each. */
async function customerWith(orders: number) {
  const user = await makeUser(shop.deps);
  const buyer = createShopper(shop.url);
  await buyer.signIn(user.email, TEST_PASSWORD);
  const product = await makeProduct(shop.deps, { items: orders });
  const ids: string[] = [];
  for (let n = 0; n < orders; n += 1) ids.push((await buyer.buy([{ product, quantity: 1 }])).orderId);
  return { user, buyer, ids };
}

describe('a cancellation by the buyer', () => {
  it('refunds the whole price and puts the goods back on sale immediately and only once', async () => {
    const { mouse, game, buyer, orderId } = await buyMixed('cancels@example.com');
    expect(await pageOf(buyer, orderId)).toMatchObject({ cancellable: true });
    expect([await onSale(mouse), await onSale(game)]).toEqual([3, 1]);
    // A double click, and another tab.
    const answers = await Promise.all([cancel(buyer, orderId), cancel(buyer, orderId), cancel(buyer, orderId)]);
    answers.push(await cancel(buyer, orderId));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await pageOf(buyer, orderId)).toMatchObject({
      status: 'Cancelled',
      refundStatus: 'Refunded',
      cancellable: false,
      refunds: [{ amount: 48.3, message: 'You cancelled this order' }],
    });
    expect([await onSale(mouse), await onSale(game)]).toEqual([5, 3]);
    expect(await buyer.readKeys(orderId)).toEqual([]);
    const kinds = (await pageOf(buyer, orderId)).timeline.map(({ kind }) => kind);
    expect(kinds).toEqual(['placed', 'paid', 'delivered', 'cancelled', 'refund-started', 'refunded']);
    const mail = (await mailsTo(shop, 'cancels@example.com')).at(-1);
    expect(mail?.text).toContain('You cancelled this order');

    // Somebody else buys the same keys.
    const next = createShopper(shop.url);
    const again = await next.buy([{ product: game, quantity: 3 }], { email: 'next@example.com' });
    expect((await next.readKeys(again.orderId)).sort()).toEqual(game.keys.toSorted());
  });

  it('is refused once an item was opened, and the buyer keeps the item', async () => {
    const { buyer, orderId, keys, products } = await buyAsGuest(shop, { quantity: 1 });
    expect(await keys()).toEqual(products[0]?.keys);
    expect(await pageOf(buyer, orderId)).toMatchObject({ cancellable: false });
    const findCard = vi.spyOn(shop.deps.payments, 'findCard');
    expect(await cancel(buyer, orderId)).toMatchObject(refusal);
    expect(findCard).not.toHaveBeenCalled();
    findCard.mockRestore();
    expect(await keys()).toEqual(products[0]?.keys);
  });

  it('is refused once a part of the order was shipped or refunded, and for another user', async () => {
    const shipped = await buyMixed('sent@example.com');
    const [mice] = (await desk.page(shipped.orderId)).lines;
    const lines = [{ line: mice?._id, quantity: 1 }];
    await desk.act(shipped.orderId, 'ship', { carrier: 'DHL', trackingNumber: '1', lines });
    expect(await cancel(shipped.buyer, shipped.orderId)).toMatchObject(refusal);
    const refunded = await buyMixed('refunded@example.com');
    await desk.act(refunded.orderId, 'refund', { reason: 'Late', amount: 1 });
    expect(await cancel(refunded.buyer, refunded.orderId)).toMatchObject(refusal);
    expect((await cancel(shipped.buyer, refunded.orderId)).status).toBe(404);
  });

  it('is refused once a unit was delivered manually, even if the buyer has not read it', async () => {
    for (const quantity of [1, 2]) {
      const { buyer, orderId, deliver } = await buyManual(`topped-up-${quantity}@example.com`, quantity);
      expect(await pageOf(buyer, orderId)).toMatchObject({ cancellable: true });
      expect((await deliver(1)).status).toBe(200);
      const page = await pageOf(buyer, orderId);
      expect(page).toMatchObject({ cancellable: false, refunds: [] });
      expect(page.timeline.at(-1)?.text).toMatch(/ delivered$/);
      expect(await cancel(buyer, orderId)).toMatchObject(refusal);
      expect(await stateOf(orderId)).toBe('fulfilled');
    }
    const waiting = await buyManual('not-topped-up@example.com', 2);
    expect((await cancel(waiting.buyer, waiting.orderId)).status).toBe(200);
    expect(await onSale(waiting.topUp)).toBe(5);
  });

  it.each<[string, Record<string, string>, (bought: Bought, item: string | undefined) => Promise<unknown>]>([
    [
      'was reported',
      refusal.body,
      async ({ buyer, orderId: order }, item) =>
        buyer.post('/api/problem-reports', { order, item, problem: 'used', text: 'Used', draft: uuidv7() }),
    ],
    [
      'was replaced',
      refusal.body,
      ({ orderId }, item) => desk.act(orderId, 'replace-item', { item, reason: 'Revoked' }),
    ],
    ['is frozen by a dispute', { code: 'ITEM_FROZEN' }, ({ orderId }) => followDispute(shop.deps, orderId, 'open')],
  ])('is refused once an unread item %s', async (_what, body, change) => {
    const bought = await buyAsGuest(shop, { quantity: 1, items: 2, warranty_days: 30 });
    const { buyer, orderId } = bought;
    await change(bought, (await desk.page(orderId)).lines[0]?.items?.[0]?._id);
    expect(await pageOf(buyer, orderId)).toMatchObject({ cancellable: false });
    expect(await cancel(buyer, orderId)).toMatchObject({ status: 409, body });
  });

  it('keeps items off sale that an administrator has read or whose product was deleted', async () => {
    const { buyer, orderId, products } = await buyAsGuest(shop, { quantity: 2 });
    const [item] = (await desk.page(orderId)).lines[0]?.items ?? [];
    const read = { item_id: item?._id ?? '', ip: '', user_agent: '', reason: 'To see', at: shop.deps.clock.now() };
    await shop.deps.db
      .insertInto('reveals')
      .values({ ...read, order_id: null, user_id: null })
      .execute();
    expect((await cancel(buyer, orderId)).status).toBe(200);
    expect(await onSale(products[0])).toBe(1);
    const gone = await buyAsGuest(shop, { quantity: 1 });
    await desk.admin.send('DELETE', `/api/digital-products/${gone.products[0]?.id}`);
    expect((await cancel(gone.buyer, gone.orderId)).status).toBe(200);
    expect(await onSale(gone.products[0])).toBe(0);
  });

  it('puts no unseen item on sale that another buyer has given back', async () => {
    const game = await makeProduct(shop.deps, { items: 2 });
    const [first, second] = [createShopper(shop.url), createShopper(shop.url)];
    const refunded = await first.buy([{ product: game, quantity: 1 }], { email: 'given-back@example.com' });
    const cancelled = await second.buy([{ product: game, quantity: 1 }], { email: 'not-needed@example.com' });
    expect((await desk.act(refunded.orderId, 'refund', { reason: 'Late' })).status).toBe(200);
    expect((await cancel(second, cancelled.orderId)).status).toBe(200);
    expect(await onSale(game)).toBe(1);
  });
});

it('after a cancellation while the clock was ahead, the books have no fault when the next buyer reads the item', async () => {
  const { buyer, orderId, products } = await buyAsGuest(shop, { quantity: 1 });
  shop.pass(HOUR_MS);
  expect((await cancel(buyer, orderId)).status).toBe(200);
  shop.pass(-HOUR_MS);
  const next = createShopper(shop.url);
  const cart = products.map((product) => ({ product, quantity: 1 }));
  const bought = await next.buy(cart, { email: 'reads-after-the-clock@example.com' });
  expect(await next.readKeys(bought.orderId)).toEqual(products[0]?.keys);
  expect((await checkBooksOf(shop.deps)).faults).toEqual([]);
});

describe('the limit of three cancellations a day', () => {
  it('holds for one buyer, even with concurrent requests, until the day is over', async () => {
    const { user, buyer, ids } = await customerWith(5);
    const [last = '', ...others] = ids;
    const answers = await Promise.all(others.map((id) => cancel(buyer, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409]);
    const refused = await cancel(buyer, last);
    expect(refused.body.message).toBe(
      'You have cancelled 3 orders within a day. We have asked the shop to cancel this one.',
    );
    expect(await stateOf(last)).toBe('fulfilled');
    const tomorrow = { now: () => new Date(Date.now() + 25 * 3_600_000) };
    const page = await cancelByBuyer({ ...shop.deps, clock: tomorrow }, { orderId: last, userId: user.id });
    expect(page.status).toBe('Cancelled');
  });

  it('turns a further cancellation into a request, of which the owner gets one notice and the order a note', async () => {
    const { user, buyer, ids } = await customerWith(4);
    const [last = '', ...others] = ids;
    for (const id of others) await cancel(buyer, id);
    for (let n = 0; n < 2; n += 1) expect(await cancel(buyer, last)).toMatchObject(refusal);
    const { notes } = await desk.page(last);
    expect(notes).toMatchObject([
      { author: user.email, text: 'I would like to cancel this order, after 3 others within a day.' },
    ]);
    const notices = (await desk.admin.get('/api/admin/notices')).body as unknown as { data: OwnerNotice[] };
    const requests = notices.data.filter(({ kind, order }) => kind === 'cancel-request' && order?._id === last);
    expect(requests.map(noticeTitle)).toEqual([`A buyer asks to cancel (order #${orderNumber(last)})`]);
  });

  it('lasts no longer when the clock, which was a day ahead, is set right', async () => {
    shop.pass(DAY_MS);
    const { buyer, ids } = await customerWith(4);
    const [last = '', ...others] = ids;
    for (const id of others) await cancel(buyer, id);
    shop.pass(-DAY_MS);
    expect(await cancel(buyer, last)).toMatchObject({ status: 200 });
  });

  it('holds for one card across several accounts', async () => {
    const card = { brand: 'visa', last4: '4242', fingerprint: 'one-card' };
    const deps = { ...shop.deps, payments: { ...shop.deps.payments, findCard: async () => card } };
    const people = [await customerWith(2), await customerWith(2)];
    const outcomes: boolean[] = [];
    for (const { user, ids } of people) {
      for (const orderId of ids) {
        const cancelled = cancelByBuyer(deps, { orderId, userId: user.id });
        outcomes.push(
          await cancelled.then(
            () => true,
            () => false,
          ),
        );
      }
    }
    expect(outcomes).toEqual([true, true, true, false]);
  });
});

describe('of two concurrent calls', () => {
  const times = [1, 2, 3, 4, 5, 6];

  it('to cancel or to read the item, exactly one succeeds', async () => {
    for (const _ of times) {
      const { buyer, orderId, products } = await buyAsGuest(shop, { quantity: 1 });
      const [cancelled, keys] = await Promise.all([cancel(buyer, orderId), buyer.readKeys(orderId)]);
      expect([cancelled.status, keys]).toEqual(cancelled.status === 200 ? [200, []] : [409, products[0]?.keys]);
      expect(await onSale(products[0])).toBe(cancelled.status === 200 ? 1 : 0);
    }
  });

  it('to cancel or to ship, exactly one succeeds', async () => {
    for (const n of times) {
      const { buyer, orderId, mouse } = await buyMixed(`ships-or-cancels-${n}@example.com`);
      const ship = { carrier: 'DHL', trackingNumber: '1' };
      const [cancelled, shipped] = await Promise.all([cancel(buyer, orderId), desk.act(orderId, 'ship', ship)]);
      expect([cancelled.status, shipped.status].sort()).toEqual([200, 409]);
      expect(await onSale(mouse)).toBe(cancelled.status === 200 ? 5 : 3);
    }
  });

  it('to cancel or to delete the product, both succeed, and the item stays off sale', async () => {
    const { buyer, orderId, products } = await buyAsGuest(shop, { quantity: 1 });
    const path = `/api/digital-products/${products[0]?.id}`;
    const calls = [() => desk.admin.send('DELETE', path), () => cancel(buyer, orderId)];
    const answers = await startWhileLocked<{ status: number }>(shop.deps.db, lockAndFindLastEntry, calls);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await onSale(products[0])).toBe(0);
    await desk.admin.send('PUT', path, { isActive: true });
    expect(await onSale(products[0])).toBe(0);
  });

  it('to finish the refund of a cancellation or to read the item as an administrator, the item stays off sale', async () => {
    const { buyer, orderId, products } = await buyAsGuest(shop, { quantity: 1 });
    const [item] = (await desk.page(orderId)).lines[0]?.items ?? [];
    const refundIntent = vi.spyOn(shop.deps.payments, 'refundIntent').mockRejectedValueOnce(new Error('is away'));
    expect((await cancel(buyer, orderId)).status).toBe(200);
    refundIntent.mockRestore();
    const read = { item_id: item?._id ?? '', ip: '', user_agent: '', reason: 'To see', at: shop.deps.clock.now() };
    await startWhileLocked(shop.deps.db, (trx) => insertReveals(trx, [{ ...read, order_id: null, user_id: null }]), [
      () => finishRefunds(shop.deps, orderId),
    ]);
    expect([await stateOf(orderId), await onSale(products[0])]).toEqual(['refunded', 0]);
  });

  it('to cancel or to deliver manually, exactly one succeeds', async () => {
    for (const n of times) {
      const { buyer, orderId, deliver } = await buyManual(`tops-up-or-cancels-${n}@example.com`, 1);
      const [cancelled, delivered] = await Promise.all([cancel(buyer, orderId), deliver(1)]);
      expect([cancelled.status, delivered.status].sort()).toEqual([200, 409]);
    }
  });
});
