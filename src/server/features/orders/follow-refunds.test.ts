import { describe, expect, it } from 'vitest';
import { type AdminOrders, openAdminOrders } from '../../../../test/admin-orders.ts';
import { makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { faultsOf, openAlertsOf, refusingRefunds } from '../../../../test/order-checks.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { CARDS, createShopper, GUEST_PASSWORD } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { reconcilePayments } from '../checkout/reconcile-payments.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';
import { issueReceipts } from '../receipts/issue-receipts.ts';
import { finishRefunds, retryRefund } from './finish-refunds.ts';

const WEEKS_MS = 21 * 24 * HOUR_MS;

const shop = await openTestShop({ deliverTestWebhooks: false });
let desk = await openAdminOrders(shop);
const other = await openAdminOrders(shop);
const provider = await openProviderDesk(shop.deps.db, shop.deps.clock);

let guests = 0;

/** An order of units of 10.60 whose refunds are under way until the test ends them, and what a test does with it. */
async function buy(quantity: number, card: string = CARDS.slowRefund) {
  guests += 1;
  const guest = { email: `slow-refund-${guests}@example.com`, password: GUEST_PASSWORD };
  const product = await makeProduct(shop.deps, { items: quantity });
  const buyer = createShopper(shop.url);
  const { orderId } = await buyer.buy([{ product, quantity }], guest, card);
  const { paymentResult, lines } = await desk.page(orderId);
  const intentId = paymentResult?.id ?? '';
  const page = () => desk.page(orderId);
  return {
    orderId,
    buyer,
    intentId,
    product,
    page,
    refund: async (body: object = {}) => (await desk.act(orderId, 'refund', { reason: 'Broken', ...body })).page,
    refundUnit: async () => {
      const unit = [{ line: lines[0]?._id, quantity: 1 }];
      return (await desk.act(orderId, 'refund', { reason: 'Broken', lines: unit })).page;
    },
    /** Does what an administrator does with the failed refund, in the attempt that the page shows now. */
    actOnFailed: async (action: 'retry-refund' | 'settle-refund', more: object = {}) => {
      const failed = (await page()).refunds.find(({ state }) => state === 'failed');
      return desk.act(orderId, action, { refund: failed?._id, attempt: failed?.attempt, ...more });
    },
    /** Ends a refund at the bank: the newest unless another is named. */
    end: (status: 'succeeded' | 'failed' | 'canceled', reason?: string, refundId?: string) =>
      provider.endRefund(intentId, { status, reason, refundId }),
    announce: async (type: string) => {
      expect(await provider.deliver(shop.url, provider.writeEvent(type, intentId))).toBe(200);
    },
    mails: async () => (await mailsTo(shop, guest.email)).map(({ subject }) => subject),
    creditNotes: async () => {
      await issueReceipts(shop.deps);
      const receipts = shop.deps.db.selectFrom('receipts').selectAll().where('order_id', '=', orderId);
      return (await receipts.where('refund_id', 'is not', null).execute()).length;
    },
    faults: async () => (await faultsOf(shop.deps, orderId)).map(({ invariant }) => invariant),
    given: () => shop.deps.payments.refundedCents(intentId),
  };
}

const openAlerts = (orderId: string) => openAlertsOf(shop.deps.db, orderId);
const noticesAbout = async (orderId: string) => {
  const notices = shop.deps.db.selectFrom('notices').innerJoin('alerts', 'alerts.id', 'notices.about_id');
  return notices.select('notices.kind').where('alerts.order_id', '=', orderId).execute();
};

const refusing = () => refusingRefunds(shop.deps);
const actor = { userId: null, name: 'The Admin', ip: '' };

const REASON = 'expired_or_canceled_card';
const UNDER_WAY = { state: 'refunding', refundStatus: 'Refund under way', refundedPrice: 0 };
const DONE = { state: 'refunded', refundStatus: 'Refunded' };

describe('a refund that the provider reports as pending', () => {
  it('is under way, without mail, credit note or refunded amount, until an event completes it once', async () => {
    const order = await buy(1);
    expect(await order.mails()).toEqual([expect.stringContaining('is ready')]);
    expect(await order.refund()).toMatchObject({ ...UNDER_WAY, refunds: [{ state: 'pending', isFollowedOnly: true }] });
    expect((await order.buyer.get('/api/digital-orders/myorders')).body.data).toMatchObject([
      { refundStatus: 'Refund under way', refunds: [{ state: 'pending' }] },
    ]);
    expect(await order.mails()).toHaveLength(1);
    expect(await order.creditNotes()).toBe(0);
    // The amount of a refund under way cannot be given back again.
    expect((await desk.act(order.orderId, 'refund', { reason: 'Again' })).body.code).toBe('REFUND_REFUSED');
    expect(await order.faults()).toEqual([]);

    await order.end('succeeded');
    for (const type of ['refund.updated', 'refund.updated', 'charge.refund.updated', 'charge.refunded']) {
      await order.announce(type);
    }
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 10.6, refunds: [{ card: { last4: '7726' } }] });
    expect(await order.mails()).toEqual([expect.stringContaining('is ready'), expect.stringContaining('refunded')]);
    expect(await order.creditNotes()).toBe(1);
    expect(await order.given()).toBe(1060);
    expect(await order.faults()).toEqual([]);
  });

  it('is completed by the sweeper if its webhook is lost, and not requested again', async () => {
    const order = await buy(1);
    await order.refund();
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject(UNDER_WAY);
    await order.end('succeeded');
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject(DONE);
    expect(await order.given()).toBe(1060);
    expect(await order.faults()).toEqual([]);
  });

  it('keeps the order fulfilled if it is for units; a refund of the rest ends the order once both have arrived', async () => {
    const order = await buy(2);
    expect(await order.refundUnit()).toMatchObject({ state: 'fulfilled', refundStatus: 'Refund under way' });
    const first = await shop.deps.payments.listRefunds(order.intentId);
    await order.refund();
    expect(await order.given()).toBe(2120);
    expect(await order.faults()).toEqual([]);
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({
      state: 'refunding',
      refundedPrice: 10.6,
      refunds: [{ state: 'pending' }, { state: 'done' }],
    });
    await order.end('succeeded', undefined, first[0]?.id);
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 21.2 });
    expect(await order.faults()).toEqual([]);
  });

  it('keeps withdrawn or cancelled goods off sale until the money has arrived', async () => {
    const order = await buy(1);
    const page = await order.refund();
    const item = page.lines[0]?.items[0]?._id;
    const restore = () =>
      desk.admin.send('POST', `/api/digital-products/${order.product.id}/inventory/${item}/restore`, {
        reason: 'It was not read',
      });
    expect((await restore()).body).toMatchObject({ code: 'ITEM_NOT_AVAILABLE' });
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect((await restore()).status).toBe(200);

    const cancelled = await buy(1);
    expect((await cancelled.buyer.post(`/api/orders/mine/${cancelled.orderId}/cancel`, {})).status).toBe(200);
    const stateOfItem = async () => (await cancelled.page()).lines[0]?.items.map(({ state }) => state);
    expect(await stateOfItem()).toEqual(['quarantined']);
    await cancelled.end('succeeded');
    await cancelled.announce('refund.updated');
    expect(await stateOfItem()).toEqual([]);
    expect(await order.faults()).toEqual([]);
  });
});

describe('a refund that fails at the bank', () => {
  it('notifies an administrator with the reason and waits for a retry, which makes a new refund', async () => {
    const order = await buy(1);
    await order.refund();
    await order.end('failed', REASON);
    // The event comes twice, and that of the creation after that of the failure.
    for (const type of ['refund.failed', 'refund.failed', 'refund.updated', 'refund.created'])
      await order.announce(type);
    const failed = { state: 'failed', failure: REASON, isFollowedOnly: true, attempt: 1 };
    expect(await order.page()).toMatchObject({ ...UNDER_WAY, refunds: [failed] });
    expect((await order.buyer.get('/api/digital-orders/myorders')).body.data).toMatchObject([
      { refundStatus: 'Refund under way', refunds: [{ state: 'failed' }] },
    ]);
    expect(await openAlerts(order.orderId)).toEqual(['refund-failed']);
    expect(await noticesAbout(order.orderId)).toEqual([{ kind: 'refund-failed' }]);
    expect(await order.faults()).toContain('outcome');
    shop.pass(HOUR_MS);
    await sweepOrders(shop.deps);
    expect(await order.given()).toBe(0);

    expect((await order.actOnFailed('retry-refund')).page).toMatchObject({
      ...UNDER_WAY,
      refunds: [{ state: 'pending', failure: null, attempt: 2 }],
    });
    expect(await openAlerts(order.orderId)).toEqual([]);
    // An event about the first attempt comes late.
    await order.announce('refund.failed');
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'pending' }] });
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 10.6 });
    expect(await order.given()).toBe(1060);
    expect(await order.creditNotes()).toBe(1);
    expect(await order.faults()).toEqual([]);
  });

  it('is retried once by concurrent administrators, and its next failure raises an alert again', async () => {
    const order = await buy(1);
    await order.refund();
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    const { refunds } = await order.page();
    const seen = { refund: refunds[0]?._id, attempt: 1 };
    const press = (by: AdminOrders) => by.act(order.orderId, 'retry-refund', seen);
    const answers = await Promise.all([press(desk), press(other), press(desk), press(other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await order.given()).toBe(1060);

    await order.end('canceled');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'failed', failure: 'canceled', attempt: 2 }] });
    expect(await openAlerts(order.orderId)).toEqual(['refund-failed']);
    // This page still shows the first attempt.
    expect((await press(desk)).body.code).toBe('REFUND_REFUSED');
    expect(await order.given()).toBe(0);
  });

  it('weeks after completion returns the order to refunding, mails the buyer and keeps the one credit note', async () => {
    const order = await buy(1, CARDS.good);
    expect(await order.refund()).toMatchObject({ ...DONE, refundedPrice: 10.6 });
    expect(await order.creditNotes()).toBe(1);
    shop.pass(WEEKS_MS);
    // The earlier sessions have expired.
    desk = await openAdminOrders(shop);
    await order.end('failed', 'declined');
    expect(await order.faults()).toContain('I4');
    // The webhook of the failure is lost.
    await reconcilePayments(shop.deps);
    expect(await order.page()).toMatchObject({ ...UNDER_WAY, refunds: [{ state: 'failed', failure: 'declined' }] });
    expect((await order.mails()).at(-1)).toContain('did not reach you');
    expect(await openAlerts(order.orderId)).toContain('refund-failed');

    await order.actOnFailed('retry-refund');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 10.6 });
    expect(await order.creditNotes()).toBe(1);
    expect(await order.given()).toBe(1060);
    expect(await order.faults()).toEqual([]);
  });

  it('does not count as repaid if it was for units, and a refund of the rest includes it', async () => {
    const order = await buy(2);
    await order.refundUnit();
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    expect(await order.page()).toMatchObject({ state: 'fulfilled', refundedPrice: 0, refunds: [{ state: 'failed' }] });
    await order.refund();
    expect(await order.given()).toBe(2120);
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 21.2 });
    expect(await order.faults()).toEqual([]);
    expect(await openAlerts(order.orderId)).toEqual([]);
    // The refund at the provider that gave both fails.
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    expect(await order.page()).toMatchObject({
      state: 'refunding',
      refundedPrice: 0,
      refunds: [{ state: 'failed' }, { state: 'failed' }],
    });
  });

  it('of units, retried alone beside a failed refund of the rest, fails again if refused', async () => {
    const order = await buy(2);
    await order.refundUnit();
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    await order.refund();
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    const [part, rest] = (await order.page()).refunds;
    expect([part?.state, rest?.state]).toEqual(['failed', 'failed']);
    await retryRefund(refusing(), { orderId: order.orderId, refund: part?._id ?? '', attempt: 1, actor });
    expect(await order.page()).toMatchObject({ refunds: [{ state: 'failed', attempt: 2 }, { state: 'failed' }] });
    const note = { reason: 'By bank transfer on Monday' };
    for (const _ of [part, rest]) expect((await order.actOnFailed('settle-refund', note)).status).toBe(200);
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 21.2 });
    expect(await order.faults()).toEqual([]);
  });

  it('may be settled in another way with a note, and is not requested from the provider again', async () => {
    const order = await buy(2);
    await order.refundUnit();
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    const note = { reason: 'By bank transfer on Monday' };
    const settled = await order.actOnFailed('settle-refund', note);
    expect(settled.page).toMatchObject({
      state: 'fulfilled',
      refundStatus: 'Partly refunded',
      refundedPrice: 10.6,
      refunds: [{ state: 'done', isByHand: true, settledNote: note.reason }],
    });
    expect(settled.page.timeline.map(({ text }) => text)).toContainEqual(expect.stringContaining(note.reason));
    expect(await openAlerts(order.orderId)).toEqual([]);
    expect(await order.faults()).toEqual([]);

    // The refund of the rest gives the other unit only: the money of the settled one stays at the provider.
    await order.refund();
    expect(await order.given()).toBe(1060);
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ ...DONE, refundedPrice: 21.2 });
    expect(await order.creditNotes()).toBe(2);
    expect(await order.faults()).toEqual([]);
  });

  it('is completed by a refund in the provider’s dashboard', async () => {
    const order = await buy(2);
    await order.refundUnit();
    await order.end('failed', REASON);
    await order.announce('refund.failed');
    await provider.refundPart(shop.url, order.intentId, 1060);
    await order.announce('charge.refunded');
    expect(await order.page()).toMatchObject({ refundedPrice: 0, refunds: [{ state: 'pending', attempt: 1 }] });
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
    expect(await openAlerts(order.orderId)).toEqual([]);
    expect(await order.given()).toBe(1060);
    expect(await order.faults()).toEqual([]);
  });
});

describe('a dashboard refund while a refund by the shop is pending', () => {
  it('raises an alert if it is partial, and completes the refund by the shop if that fails', async () => {
    const order = await buy(3);
    await order.refundUnit();
    const [ours] = await shop.deps.payments.listRefunds(order.intentId);
    await provider.refundPart(shop.url, order.intentId, 1060);
    await order.announce('charge.refunded');
    expect(await openAlerts(order.orderId)).toEqual(['partial-refund']);
    expect(await order.page()).toMatchObject({ state: 'fulfilled', refunds: [{ state: 'pending' }] });
    await order.end('failed', REASON, ours?.id);
    await order.announce('refund.failed');
    await order.announce('refund.updated');
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ refundedPrice: 10.6, refunds: [{ state: 'done' }] });
    expect(await order.given()).toBe(1060);
    expect(await order.faults()).toEqual([]);
  });

  it('ends the order once both have arrived if it covers all that is left', async () => {
    const order = await buy(2);
    await order.refundUnit();
    await provider.act(shop.url, 'refund', order.intentId);
    await order.announce('charge.refunded');
    expect(await order.page()).toMatchObject({
      state: 'refunding',
      refunds: [{ state: 'pending' }, { state: 'pending' }],
    });
    await order.end('succeeded');
    await order.announce('refund.updated');
    expect(await order.page()).toMatchObject({ state: 'refunding', refundedPrice: 10.6 });
    expect(await order.given()).toBe(2120);
    expect(await order.faults()).toEqual([]);
  });
});

it('a stale answer from before the failure does not complete the refund', async () => {
  const order = await buy(1);
  await order.refund();
  const { payments } = shop.deps;
  await order.end('succeeded');
  // This process reads the provider's list; then another process records that the bank has sent the refund back.
  const listRefunds: typeof payments.listRefunds = async (intentId) => {
    const read = await payments.listRefunds(intentId);
    await order.end('failed', 'declined');
    await order.announce('refund.failed');
    return read;
  };
  await finishRefunds({ ...shop.deps, payments: { ...payments, listRefunds } }, order.orderId);
  expect(await order.page()).toMatchObject({ ...UNDER_WAY, refunds: [{ state: 'failed', failure: 'declined' }] });
});
