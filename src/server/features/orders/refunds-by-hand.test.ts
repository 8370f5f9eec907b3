import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { refusingRefunds } from '../../../../test/order-checks.ts';
import { buyToRefund } from '../../../../test/refunded-orders.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { reconcilePayments } from '../checkout/reconcile-payments.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';
import { retryRefund } from './finish-refunds.ts';
import { refundByAdmin } from './refund-order.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);
const provider = await openProviderDesk(shop.deps.db, shop.deps.clock);
const DONE = { state: 'refunded', refundStatus: 'Refunded' };
const reason = 'Broken';
const refusing = () => refusingRefunds(shop.deps);
const actor = { userId: null, name: 'The Admin', ip: '' };

/** The shop while its provider's answers to refunds are lost. */
const losingAnswers = () => {
  const refundIntent: typeof shop.deps.payments.refundIntent = async (input) => {
    await shop.deps.payments.refundIntent(input);
    return beAway();
  };
  return { ...shop.deps, payments: { ...shop.deps.payments, refundIntent } };
};
/** The shop while its requests of refunds do not reach the provider. */
const losingRequests = () => ({ ...shop.deps, payments: { ...shop.deps.payments, refundIntent: beAway } });
const beAway = () => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The connection broke'));

/** The shop while its provider's first list of refunds is this one. */
const listingFirst = (first: Awaited<ReturnType<typeof shop.deps.payments.listRefunds>>) => {
  const lists = [first];
  const listRefunds: typeof shop.deps.payments.listRefunds = async (intentId) =>
    lists.pop() ?? shop.deps.payments.listRefunds(intentId);
  return { ...shop.deps, payments: { ...shop.deps.payments, listRefunds } };
};

const buy = (quantity: number) => buyToRefund({ shop, desk, provider }, quantity);

describe('a refund of the rest, after a failed part was settled in another way,', () => {
  /** Buys units; the refund of one bounces and is settled, so that its money stays at the provider. */
  const buyAndSettleOne = async (quantity: number) => {
    const order = await buy(quantity);
    await order.refundUnit();
    await order.bounce();
    await order.actOnFailed('settle-refund');
    return order;
  };

  it('is completed by a refund from the provider’s dashboard and not repeated', async () => {
    const order = await buyAndSettleOne(2);
    await order.giveByHand(1060);
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 21.2 });
    expect(await order.given()).toBe(1060);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });

  it('repays only what is left after a dashboard refund of another part', async () => {
    const order = await buyAndSettleOne(3);
    await order.giveByHand(500);
    expect(await order.openAlerts()).toEqual(['partial-refund']);
    expect(await order.refundRest()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(2120);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });

  it('leaves out a part that another process is refunding at the same time', async () => {
    const order = await buyAndSettleOne(3);
    const restIsGiven = Promise.withResolvers<void>();
    const refundIntent: typeof shop.deps.payments.refundIntent = async (input) => {
      await restIsGiven.promise;
      return shop.deps.payments.refundIntent(input);
    };
    const slow = { ...shop.deps, payments: { ...shop.deps.payments, refundIntent } };
    const part = refundByAdmin(slow, { orderId: order.orderId, reason, lines: order.unit, actor });
    await expect.poll(async () => (await order.page()).refunds).toHaveLength(2);
    await order.refundRest();
    restIsGiven.resolve();
    await part;
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(2120);
    expect(await order.faults()).toEqual([]);
  });

  it('leaves out a part that the provider gives while the rest is being requested', async () => {
    const order = await buyAndSettleOne(3);
    const earlier = await order.refunds();
    await refundByAdmin(losingAnswers(), { orderId: order.orderId, reason, lines: order.unit, actor });
    await refundByAdmin(listingFirst(earlier), { orderId: order.orderId, reason, actor });
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(2120);
    expect(await order.faults()).toEqual([]);
  });

  it('leaves out a part that the provider refused, which the sweeper requests', async () => {
    const order = await buyAndSettleOne(3);
    await refundByAdmin(refusing(), { orderId: order.orderId, reason, lines: order.unit, actor });
    await order.refundRest();
    expect(await order.given()).toBe(1060);
    shop.pass(HOUR_MS + MINUTE_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(2120);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });
});

it('a refund of the rest leaves out a part that the provider gives while the rest is being requested', async () => {
  const order = await buy(3);
  await refundByAdmin(losingAnswers(), { orderId: order.orderId, reason, lines: order.unit, actor });
  const [part] = await order.refunds();
  await refundByAdmin(listingFirst([]), { orderId: order.orderId, reason, actor });
  await order.announce('refund.updated');
  expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
  await order.bounce(part?.id);
  expect(await order.page()).toMatchObject({ state: 'refunding', refundedPrice: 21.2 });
});

it('a partial refund in the dashboard raises one alert, even if its webhook is lost', async () => {
  const order = await buy(2);
  await provider.refundPart(shop.url, order.intentId, 500);
  for (const _ of [1, 2]) await reconcilePayments(shop.deps);
  expect(await order.openAlerts()).toEqual(['partial-refund']);
  await order.announce('charge.refunded');
  expect(await order.openAlerts()).toEqual(['partial-refund']);
  expect(await order.page()).toMatchObject({ state: 'fulfilled', refunds: [] });
});

describe('entering a dashboard refund on the order page', () => {
  it('withdraws the goods, repays nothing more and ends the alert', async () => {
    const order = await buy(3);
    await order.giveByHand(1060);
    expect(await order.page()).toMatchObject({ givenByHand: true });
    const { page } = await order.refundUnit();
    expect(page).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
    expect(page).toMatchObject({ givenByHand: false });
    expect(await order.openAlerts()).toEqual([]);
    expect(page.lines[0]?.items.map(({ state }) => state).sort()).toEqual(['quarantined', 'sold', 'sold']);
    expect(await order.given()).toBe(1060);
    expect(await order.faults()).toEqual([]);
    // Another part raises an alert and is entered in the same way.
    await order.giveByHand(1060);
    expect(await order.openAlerts()).toEqual(['partial-refund']);
    await order.refundUnit();
    expect(await order.page()).toMatchObject({ refundedPrice: 21.2, givenByHand: false });
    expect(await order.given()).toBe(2120);
    await order.refundRest();
    expect(await order.given()).toBe(3180);
    expect(await order.faults()).toEqual([]);
  });
});

it('a refund on the order page repays nothing more if the webhook of the dashboard refund is late', async () => {
  const order = await buy(3);
  await provider.refundPart(shop.url, order.intentId, 1060);
  const { page } = await order.refundUnit();
  expect(page).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
  await order.announce('charge.refunded');
  expect(await order.given()).toBe(1060);
  expect(await order.openAlerts()).toEqual([]);
  expect(await order.faults()).toEqual([]);
});

it('a refund whose request was lost is completed by a dashboard refund and not requested again', async () => {
  const order = await buy(3);
  await refundByAdmin(losingRequests(), { orderId: order.orderId, reason, lines: order.unit, actor });
  await order.giveByHand(1060);
  shop.pass(MINUTE_MS);
  await sweepOrders(shop.deps);
  expect(await order.page()).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
  expect(await order.given()).toBe(1060);
  expect(await order.openAlerts()).toEqual([]);
  expect(await order.faults()).toEqual([]);
});

describe('an acknowledged dashboard refund (a gift)', () => {
  const buyWithGift = async (cents: number) => {
    const order = await buy(3);
    await order.giveByHand(cents);
    await order.acknowledge();
    return order;
  };
  const failed = { refundedPrice: 0, refunds: [{ state: 'failed' }] };

  it('does not count toward a later refund', async () => {
    const order = await buyWithGift(1060);
    await order.refundUnit();
    expect(await order.given()).toBe(2120);
  });

  it('does not count toward a later refund that begins while the provider is down', async () => {
    const order = await buyWithGift(1060);
    await refundByAdmin(losingRequests(), { orderId: order.orderId, reason, lines: order.unit, actor });
    shop.pass(MINUTE_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
    expect(await order.given()).toBe(2120);
  });

  it('does not count toward a later refund that the provider refuses; the sweeper repeats that refund', async () => {
    const order = await buyWithGift(1060);
    const { orderId, unit: lines } = order;
    await refundByAdmin(refusing(), { orderId, reason, lines, actor });
    await order.announce('charge.refunded');
    await reconcilePayments(shop.deps);
    expect(await order.page()).toMatchObject(failed);
    const refund = (await order.page()).refunds[0]?._id ?? '';
    await retryRefund(refusing(), { orderId, refund, attempt: 1, actor });
    await order.announce('charge.refunded');
    expect(await order.page()).toMatchObject(failed);
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
    expect(await order.given()).toBe(2120);
  });

  it.each(Object.entries({ right: 0, ahead: 2 * HOUR_MS, behind: -2 * HOUR_MS }))(
    'does not count toward an earlier refund that fails afterwards, if the clock was %s',
    async (_, skewMs) => {
      const order = await buy(3);
      await order.refundUnit();
      const [ours] = await order.refunds();
      await provider.refundPart(shop.url, order.intentId, 1060);
      const clock = { now: () => new Date(shop.deps.clock.now().getTime() + skewMs) };
      await reconcilePayments({ ...shop.deps, clock });
      await order.acknowledge();
      await order.bounce(ours?.id);
      await order.announce('charge.refunded');
      expect(await order.page()).toMatchObject(failed);
      // What staff give for that refund counts.
      await order.giveByHand(1060);
      expect(await order.page()).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
      expect(await order.given()).toBe(2120);
    },
  );

  it('is not counted while the alert about another part is open', async () => {
    const order = await buyWithGift(1060);
    await order.giveByHand(500);
    expect(await order.openAlerts()).toEqual(['partial-refund']);
    await desk.act(order.orderId, 'refund', { reason, amount: 5 });
    expect(await order.given()).toBe(1560);
    await order.refundUnit();
    expect(await order.page()).toMatchObject({ refundedPrice: 15.6, refunds: [{ state: 'done' }, { state: 'done' }] });
    expect(await order.given()).toBe(2620);
  });
});

describe('one dashboard refund for two refused refunds', () => {
  const buyAndFailTwo = async () => {
    const order = await buy(3);
    for (const _ of [1, 2])
      await refundByAdmin(refusing(), { orderId: order.orderId, reason, lines: order.unit, actor });
    return order;
  };

  it('completes both, and the shop repays nothing more', async () => {
    const order = await buyAndFailTwo();
    await order.giveByHand(2120);
    const given = { refundedPrice: 21.2, refunds: [{ state: 'done' }, { state: 'done' }] };
    expect(await order.page()).toMatchObject(given);
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject(given);
    expect(await order.given()).toBe(2120);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });

  it('completes both when the sweeper finds it, even if it was made in two other amounts', async () => {
    for (const cents of [[2120], [1500, 620]]) {
      const order = await buyAndFailTwo();
      for (const part of cents) await provider.refundPart(shop.url, order.intentId, part);
      shop.pass(HOUR_MS);
      await sweepOrders(shop.deps);
      expect(await order.page()).toMatchObject({
        refundedPrice: 21.2,
        refunds: [{ state: 'done' }, { state: 'done' }],
      });
      expect(await order.given()).toBe(2120);
      expect(await order.faults()).toEqual([]);
    }
  });

  it('completes only one if it covers no more; the sweeper requests the other', async () => {
    const order = await buyAndFailTwo();
    await order.giveByHand(1500);
    expect(await order.page()).toMatchObject({ refundedPrice: 10.6 });
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ refundedPrice: 21.2 });
    expect(await order.given()).toBe(2560);
  });
});

describe('a failed refund at the provider', () => {
  it('raises an alert each time if staff made it by hand, until the money is repaid', async () => {
    const order = await buy(3);
    await order.giveByHand(100);
    expect(await order.refundRest()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(3180);
    const byHand = async () => (await order.refunds()).find(({ cents }) => cents === 100)?.id;
    for (const alerts of [1, 2]) {
      await order.bounce(await byHand());
      await order.announce('refund.updated');
      expect(await order.given()).toBe(3080);
      expect((await order.openAlerts()).filter((kind) => kind === 'refund-failed')).toHaveLength(alerts);
      expect((await order.faults()).map(({ invariant }) => invariant)).toContain('I4');
      await order.giveByHand(100);
      expect(await order.given()).toBe(3180);
      expect(await order.faults()).toEqual([]);
    }
  });

  it('marks the refund of a part as failed, although the answer to its request was lost', async () => {
    const order = await buy(3);
    await refundByAdmin(losingAnswers(), { orderId: order.orderId, reason, lines: order.unit, actor });
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'pending' }] });
    await order.refundRest();
    shop.pass(MINUTE_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(3180);
    expect(await order.faults()).toEqual([]);

    await order.bounce((await order.refunds()).find(({ cents }) => cents === 1060)?.id);
    expect(await order.page()).toMatchObject({
      refundedPrice: 21.2,
      refunds: [{ state: 'failed' }, { state: 'done' }],
    });
    expect(await order.openAlerts()).toEqual(['refund-failed']);
    expect(await order.given()).toBe(2120);
    expect(await order.actOnFailed('retry-refund')).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(3180);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });
});

it('a failed refund is settled without the part that staff gave in the dashboard, which is a refund of its own', async () => {
  const order = await buy(3);
  await order.refundRest();
  await order.bounce();
  await order.giveByHand(1060);
  expect(await order.actOnFailed('settle-refund')).toMatchObject({ ...DONE, refundedPrice: 31.8 });
  expect(await order.given()).toBe(1060);
  expect(await order.openAlerts()).toEqual([]);
  expect(await order.faults()).toEqual([]);
  expect((await order.page()).refunds).toMatchObject([{ amount: 21.2 }, { amount: 10.6 }]);
});

describe('a refund of units before a refused refund of the rest', () => {
  /** Refuses the refund of a unit and then that of the rest; returns the order and the failed refund of the unit. */
  const buyAndFailBoth = async () => {
    const order = await buy(3);
    const { orderId } = order;
    for (const lines of [order.unit, undefined]) await refundByAdmin(refusing(), { orderId, reason, lines, actor });
    const [part, rest] = (await order.page()).refunds;
    expect([part?.state, rest?.state]).toEqual(['failed', 'failed']);
    return { ...order, failed: { orderId, refund: part?._id ?? '', attempt: 1, actor } };
  };

  it('is requested from the provider on a retry, and fails again if refused', async () => {
    const order = await buyAndFailBoth();
    await retryRefund(refusing(), order.failed);
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'failed', attempt: 2 }, { state: 'failed' }] });
    expect(await order.openAlerts()).toEqual(['refund-failed', 'refund-failed']);
    for (const _ of [1, 2]) await order.actOnFailed('settle-refund');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(0);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });

  it('is requested by the sweeper if it was pending, and the money is repaid once', async () => {
    const order = await buy(3);
    const { orderId } = order;
    await refundByAdmin(losingRequests(), { orderId, reason, lines: order.unit, actor });
    await refundByAdmin(refusing(), { orderId, reason, actor });
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'pending' }, { state: 'failed' }] });
    shop.pass(MINUTE_MS);
    await sweepOrders(refusing());
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'failed' }, { state: 'failed' }] });
    expect(await order.openAlerts()).toHaveLength(2);
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 31.8 });
    expect(await order.given()).toBe(3180);
    expect(await order.openAlerts()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });
});
