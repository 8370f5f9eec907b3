import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { insertLine, insertOrder, makePhysicalProduct, makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { countWaiting } from '../../../../test/locks.ts';
import { faultsOf, openAlertsOf, refusingRefunds } from '../../../../test/order-checks.ts';
import { CARDS, createShopper, GUEST_PASSWORD } from '../../../../test/shopper.ts';
import { openTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { reconcilePayments } from '../checkout/reconcile-payments.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';
import { finishRefunds, retryRefund, settleRefund } from './finish-refunds.ts';
import { refundByAdmin } from './refund-order.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);
const provider = await openProviderDesk(shop.deps.db, shop.deps.clock);

const DONE = { state: 'refunded', refundedPrice: 21.2 };
const reason = 'By bank transfer on Monday';
const refusing = () => refusingRefunds(shop.deps);
const actor = { userId: null, name: 'The Admin', ip: '' };

/** The shop with `refundIntent` in place of the provider's refunds. */
const shopWith = (refundIntent: TestShop['deps']['payments']['refundIntent']) => ({
  ...shop.deps,
  payments: { ...shop.deps.payments, refundIntent },
});

let guests = 0;

/** An order of two units of 10.60 of which the refund of one has failed, and what a test does with it. */
async function buyAndFailPart(fail: 'at the bank' | 'by the provider') {
  guests += 1;
  const guest = { email: `settled-${guests}@example.com`, password: GUEST_PASSWORD };
  const product = await makeProduct(shop.deps, { items: 2 });
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 2 }], guest, CARDS.slowRefund);
  const { paymentResult, lines } = await desk.page(orderId);
  const intentId = paymentResult?.id ?? '';
  const unit = [{ line: lines[0]?._id ?? '', quantity: 1 }];
  const end = async (status: 'succeeded' | 'failed') => {
    await provider.endRefund(intentId, { status });
    expect(await provider.deliver(shop.url, provider.writeEvent('refund.updated', intentId))).toBe(200);
  };
  await refundByAdmin(fail === 'at the bank' ? shop.deps : refusing(), { orderId, reason, lines: unit, actor });
  if (fail === 'at the bank') await end('failed');
  const [part] = (await desk.page(orderId)).refunds;
  expect(part).toMatchObject({ state: 'failed', isSettleable: true });
  const failed = { refund: part?._id ?? '', attempt: 1, reason };
  return {
    orderId,
    intentId,
    end,
    refunds: async () => (await desk.page(orderId)).refunds,
    page: () => desk.page(orderId),
    refundRest: () => desk.act(orderId, 'refund', { reason }),
    /** Settles the part, by the call of the dashboard. */
    settle: () => desk.act(orderId, 'settle-refund', failed),
    /** Settles the part in this process. */
    settlePart: () => settleRefund(shop.deps, { orderId, ...failed, actor }),
    given: () => shop.deps.payments.refundedCents(intentId),
    openAlerts: () => openAlertsOf(shop.deps.db, orderId),
    faults: () => faultsOf(shop.deps, orderId),
  };
}

/** Expects that the provider gave the part, once, and that nothing is left to do. */
async function expectGivenOnce(order: Awaited<ReturnType<typeof buyAndFailPart>>): Promise<void> {
  const done = { state: 'fulfilled', refundedPrice: 10.6, refunds: [{ state: 'done', isByHand: false }] };
  expect(await order.page()).toMatchObject(done);
  expect(await order.given()).toBe(1060);
  expect(await order.openAlerts()).toEqual([]);
  expect(await order.faults()).toEqual([]);
}

it('a retry whose request is lost is requested by the sweeper within a minute', async () => {
  const order = await buyAndFailPart('by the provider');
  const [part] = await order.refunds();
  const away = shopWith(() => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The connection broke')));
  await retryRefund(away, { orderId: order.orderId, refund: part?._id ?? '', attempt: 1, actor });
  expect(await order.given()).toBe(0);
  shop.pass(MINUTE_MS);
  await sweepOrders(shop.deps);
  expect(await order.given()).toBe(1060);
});

it('a refused refund cannot be settled in another way while a retry is at the provider', async () => {
  const order = await buyAndFailPart('by the provider');
  const asking = shopWith(async (input) => {
    await expect(order.settlePart()).rejects.toMatchObject({ code: 'REFUND_REFUSED' });
    return shop.deps.payments.refundIntent(input);
  });
  await finishRefunds(asking, order.orderId);
  await order.end('succeeded');
  await expectGivenOnce(order);
});

it('a failed refund whose next attempt only the provider knows, as after a restore, is followed and not settled', async () => {
  const order = await buyAndFailPart('at the bank');
  const [part] = await order.refunds();
  const attempt = { refundId: part?._id ?? '', amountCents: 1060, attempt: 2 };
  const { intentId, orderId } = order;
  await shop.deps.payments.refundIntent({ intentId, orderId, oneOfSeveral: attempt });
  expect(await order.settle()).toMatchObject({ status: 409, body: { code: 'REFUND_REFUSED' } });
  expect(await order.refunds()).toMatchObject([{ state: 'pending' }]);
  await order.end('succeeded');
  await expectGivenOnce(order);
});

it('a failed refund that was settled in another way and given in the dashboard, too, raises an alert', async () => {
  const order = await buyAndFailPart('at the bank');
  await order.refundRest();
  await order.end('failed');
  const [part, rest] = await order.refunds();
  for (const failed of [part, rest]) {
    await desk.act(order.orderId, 'settle-refund', { refund: failed?._id, attempt: 1, reason });
  }
  expect(await order.openAlerts()).toEqual([]);
  await provider.refundPart(shop.url, order.intentId, 1060);
  // The webhook is lost.
  await reconcilePayments(shop.deps);
  expect(await order.openAlerts()).toEqual(['refunded-twice']);
  expect(await order.page()).toMatchObject(DONE);
  await order.end('failed');
  expect(await order.openAlerts()).toEqual([]);
  expect(await order.faults()).toEqual([]);
});

it('a failed refund that was settled in another way and given by the shop, too, counts as given in the dashboard', async () => {
  const order = await buyAndFailPart('at the bank');
  const [part] = await order.refunds();
  expect((await order.settle()).status).toBe(200);
  const late = { refundId: part?._id ?? '', amountCents: 500, attempt: 2 };
  const given = await shop.deps.payments.refundIntent({ ...order, oneOfSeveral: late });
  await order.end('succeeded');
  const subject = `${order.intentId}/${given.id}`;
  const alerts = shop.deps.db.selectFrom('alerts').select('kind').where('subject', '=', subject);
  expect(await alerts.execute()).toEqual([{ kind: 'partial-refund' }]);
  // Staff give the rest, and the order is refunded.
  await provider.refundPart(shop.url, order.intentId, 560);
  await order.end('succeeded');
  expect(await order.page()).toMatchObject(DONE);
  expect(await order.faults()).toEqual([]);
});

it('a gift that was acknowledged by its sum, as an earlier version did, counts for no later refund', async () => {
  const order = await buyAndFailPart('by the provider');
  await order.settle();
  const acknowledge = async () => {
    const alerts = (await desk.admin.get('/api/admin/alerts')).body.data as unknown as {
      _id: string;
      orderId: string;
    }[];
    const gift = alerts.find(({ orderId }) => orderId === order.orderId);
    await desk.admin.post(`/api/admin/alerts/${gift?._id}/acknowledge`, { reason: 'A gift' });
  };
  for (const cents of [100, 300]) {
    await provider.refundPart(shop.url, order.intentId, cents);
    await reconcilePayments(shop.deps);
    await acknowledge();
  }
  const subject = `${order.intentId}/400`;
  const newest = shop.deps.db.selectFrom('alerts').select('id').where('order_id', '=', order.orderId);
  await shop.deps.db
    .updateTable('alerts')
    .set({ subject })
    .where('id', '=', newest.orderBy('raised_at', 'desc').limit(1))
    .execute();
  await desk.act(order.orderId, 'refund', { reason, amount: 3 });
  expect(await order.given()).toBe(700);
});

describe('a failed refund of units, with a refund of all that is left begun later,', () => {
  it('cannot be settled while the refund of the rest is pending, as that includes its money', async () => {
    const order = await buyAndFailPart('at the bank');
    await order.refundRest();
    expect(await order.given()).toBe(2120);
    expect(await order.refunds()).toMatchObject([{ state: 'failed', isSettleable: false }, { state: 'pending' }]);
    expect(await order.settle()).toMatchObject({ status: 409, body: { code: 'REFUND_REFUSED' } });
    expect(await order.faults()).toEqual([]);
    await order.end('succeeded');
    expect(await order.page()).toMatchObject({ ...DONE, refunds: [{ isByHand: false }, { isByHand: false }] });
    expect(await order.faults()).toEqual([]);
  });

  it('can be settled once the refund of the rest has failed, and so can that refund', async () => {
    const order = await buyAndFailPart('at the bank');
    await order.refundRest();
    await order.end('failed');
    const refunds = await order.refunds();
    expect(refunds).toMatchObject([{ isSettleable: true }, { state: 'failed', isSettleable: true }]);
    expect((await order.settle()).status).toBe(200);
    const rest = { refund: refunds[1]?._id, attempt: 1, reason };
    expect((await desk.act(order.orderId, 'settle-refund', rest)).status).toBe(200);
    expect(await order.page()).toMatchObject(DONE);
    expect(await order.given()).toBe(0);
    expect(await order.faults()).toEqual([]);
  });

  it('cannot be settled while the refund of the rest is at the provider', async () => {
    const order = await buyAndFailPart('by the provider');
    const asking = shopWith(async (input) => {
      await expect(order.settlePart()).rejects.toMatchObject({ code: 'REFUND_REFUSED' });
      return shop.deps.payments.refundIntent(input);
    });
    await refundByAdmin(asking, { orderId: order.orderId, reason, actor });
    expect(await order.given()).toBe(2120);
    expect(await order.faults()).toEqual([]);
    await order.end('succeeded');
    expect(await order.page()).toMatchObject(DONE);
    expect(await order.faults()).toEqual([]);
  });

  it('is left out of a retry of the refused rest if it is settled at the same moment', async () => {
    const order = await buyAndFailPart('at the bank');
    await refundByAdmin(refusing(), { orderId: order.orderId, reason, actor });
    // The settlement has locked the order and waits for the audit log, which is locked here.
    const log = await shop.deps.db.startTransaction().execute();
    await lockAndFindLastEntry(log);
    const settling = order.settlePart();
    await expect.poll(() => countWaiting(shop.deps.db)).toBe(1);
    const asking = finishRefunds(shop.deps, order.orderId);
    await expect.poll(() => countWaiting(shop.deps.db)).toBe(2);
    await log.commit().execute();
    await Promise.all([settling, asking]);
    expect(await order.given()).toBe(1060);
    await order.end('succeeded');
    expect(await order.page()).toMatchObject({ ...DONE, refunds: [{ isByHand: true }, { isByHand: false }] });
    expect(await order.faults()).toEqual([]);
  });
});

it.each(['before', 'while'])(
  'a refund of a part that fails unnoticed %s the rest is refunded is included in the rest',
  async (moment) => {
    const product = await makeProduct(shop.deps, { items: 2 });
    const guest = { email: `${moment}@example.com`, password: GUEST_PASSWORD };
    const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 2 }], guest, CARDS.good);
    const { paymentResult, lines } = await desk.page(orderId);
    const intentId = paymentResult?.id ?? '';
    await desk.act(orderId, 'refund', { reason, lines: [{ line: lines[0]?._id, quantity: 1 }] });
    const bounce = () => provider.endRefund(intentId, { status: 'failed' });
    if (moment === 'before') await bounce();
    const bouncing = shopWith(async (input) => {
      if (moment === 'while') await bounce();
      return shop.deps.payments.refundIntent(input);
    });
    await refundByAdmin(bouncing, { orderId, reason, actor });
    expect(await shop.deps.payments.refundedCents(intentId)).toBe(2120);
    // The webhook of the failure comes late.
    expect(await provider.deliver(shop.url, provider.writeEvent('refund.failed', intentId))).toBe(200);
    expect(await desk.page(orderId)).toMatchObject({ ...DONE, refunds: [{ state: 'done' }, { state: 'done' }] });
    expect(await faultsOf(shop.deps, orderId)).toEqual([]);
  },
);

it('a refund of an order that was paid outside of the shop fails, and an administrator settles it', async () => {
  const { db, clock } = shop.deps;
  const orderId = await insertOrder(db, clock.now(), { type: 'physical', payment_intent_id: null });
  await insertLine(db, { order_id: orderId, product_id: await makePhysicalProduct(shop.deps), quantity: 1 });
  await desk.act(orderId, 'refund', { reason });
  const [refund] = (await desk.page(orderId)).refunds;
  expect(refund).toMatchObject({ state: 'failed', failure: 'no_payment', isSettleable: true });
  expect(await openAlertsOf(db, orderId)).toEqual(['refund-failed']);
  await desk.act(orderId, 'settle-refund', { refund: refund?._id ?? '', attempt: 1, reason });
  expect(await desk.page(orderId)).toMatchObject({ refunds: [{ state: 'done' }], refundStatus: 'Refunded' });
  expect(await openAlertsOf(db, orderId)).toEqual([]);
});
