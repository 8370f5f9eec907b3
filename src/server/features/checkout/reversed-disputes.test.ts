import { describe, expect, it, vi } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { type ClaimedOrder, openClaimedOrders, storyOf } from '../../../../test/claimed-orders.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { endAlertsOfOrder } from '../admin/alerts.queries.ts';
import { tryFinishRefunds } from '../orders/finish-refunds.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { beginRefund } from '../orders/refund-order.ts';
import { followClaims, reconcileClaims } from './follow-claims.ts';
import { reconcilePayments } from './reconcile-payments.ts';
import { sweepOrders } from './sweep-orders.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const orders = await openClaimedOrders(shop);

/** An order whose dispute was lost. */
async function lose() {
  const order = await orders.buy();
  await order.dispute();
  await order.move({ status: 'lost' });
  expect(await order.page()).toMatchObject({ state: 'disputed', refundable: false });
  return order;
}

const refund = { reason: 'The bank has returned the money' };

describe('an order whose lost dispute is won after all', () => {
  it('raises an alert, and can be refunded by an administrator only after the bank has decided', async () => {
    const order = await lose();
    for (const status of ['appeal_needs_response', 'appeal_under_review'] as const) {
      await order.move({ status });
      expect((await order.act('refund', refund)).body.code).toBe('REFUND_REFUSED');
    }
    await order.move({ status: 'won' });
    expect(await order.alerts()).toEqual(['dispute-reversed']);
    const page = await order.page();
    expect(page).toMatchObject({ state: 'disputed', refundable: true, frozen: null, disputed: false });
    expect(storyOf(page)).toContain('The dispute was won after all; the goods stay withdrawn');
    expect(await order.items()).toEqual([]);

    const refunded = await order.act('refund', refund);
    expect(refunded.page).toMatchObject({ state: 'refunded', refundedPrice: page.totalPrice });
    expect(await order.alerts()).toEqual([]);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is found without webhooks, even after its alerts were acknowledged', async () => {
    const order = await lose();
    await endAlertsOfOrder(shop.deps.db, order.orderId, ['dispute', 'dispute-lost'], new Date());
    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    // The dispute is older than what is compared again.
    await reconcileClaims(shop.deps, new Date(Date.now() + 60_000));
    expect(await order.alerts()).toEqual(['dispute-reversed']);
    expect((await order.page()).refundable).toBe(true);
  });

  it('becomes refunded in the shop when the provider has refunded the money', async () => {
    const order = await lose();
    await order.move({ status: 'won' });
    await orders.provider.act(shop.url, 'refund', order.intentId);
    await order.tell('charge.refunded');
    expect((await order.page()).state).toBe('refunded');
    expect(await order.alerts()).toEqual([]);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('cannot be refunded while another dispute of its payment is open, or after that one was lost', async () => {
    const { orderId, intentId, ...order } = await lose();
    await order.move({ status: 'won' });
    for (const outcome of ['open', 'lost'] as const) {
      const [first, ...none] = await shop.deps.payments.listClaims(intentId);
      if (!first) throw new Error('The provider lists no dispute');
      expect(none).toEqual([]);
      const payments = {
        ...shop.deps.payments,
        listClaims: async () => [first, { ...first, id: `${first.id}-2`, outcome }],
      };
      await followClaims({ ...shop.deps, payments }, await getOrder(shop.deps.db, orderId));
      expect((await order.page()).refundable).toBe(false);
      expect((await order.act('refund', refund)).body.code).toBe('REFUND_REFUSED');
    }
    expect(await order.alerts()).toEqual(['dispute', 'dispute-lost']);
  });

  it('raises the alert again when the dispute is lost again after the refund', async () => {
    const order = await lose();
    await order.move({ status: 'won' });
    await order.act('refund', refund);
    expect(await order.alerts()).toEqual([]);
    const notices = shop.deps.db.selectFrom('notices').innerJoin('alerts', 'alerts.id', 'notices.about_id');
    const told = () => notices.select('alerts.kind').where('order_id', '=', order.orderId).execute();
    const before = await told();
    await order.move({ status: 'lost' });
    await order.move({ status: 'lost' });
    expect(await order.alerts()).toEqual(['dispute-lost']);
    expect(await told()).toEqual([...before, { kind: 'dispute-lost' }]);
  });
});

describe('a refund that the provider refuses because of a lost dispute', () => {
  async function refuse(wanted: object = {}, facts: { amountCents?: number } = {}) {
    const order = await orders.buy();
    await orders.provider.claim('dispute', order.intentId, facts);
    await orders.provider.moveDispute(order.intentId, { status: 'lost' });
    await order.act('refund', { reason: 'Asked for by the buyer', ...wanted });
    expect((await order.page()).refunds).toMatchObject([{ state: 'failed' }]);
    await order.tell('charge.dispute.closed');
    return order;
  }

  it('is settled once by the money that the dispute took, and a later win raises an alert', async () => {
    const order = await refuse();
    const settled = { state: 'done', settledNote: 'The bank took the money in a dispute' };
    const page = await order.page();
    expect(page).toMatchObject({ state: 'refunded', refundedPrice: page.totalPrice, refunds: [settled] });
    expect(await order.alerts()).toEqual(['dispute-lost']);
    await order.tell('charge.dispute.closed');
    expect((await order.page()).refunds).toHaveLength(1);
    expect(await shop.deps.payments.refundedCents(order.intentId)).toBe(0);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
    await order.move({ status: 'won' });
    expect(await order.alerts()).toEqual(['dispute-reversed']);
  });

  it.each([
    ['in full', {}, { state: 'refunded', cents: 2120 }],
    ['of an amount', { amount: 1 }, { state: 'disputed', cents: 100 }],
  ])('%s is requested again, once, when the dispute is won after all', async (_, wanted, { state, cents }) => {
    const order = await refuse(wanted);
    await order.move({ status: 'won' });
    await sweepOrders(shop.deps);
    await order.tell('charge.dispute.closed');
    await sweepOrders(shop.deps);
    expect(await shop.deps.payments.refundedCents(order.intentId)).toBe(cents);
    const given = { state: 'done', settledNote: null };
    expect(await order.page()).toMatchObject({ state, refundedPrice: cents / 100, refunds: [given] });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('leaves nothing to give when staff have given it in the dashboard after the dispute was won', async () => {
    const order = await refuse();
    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    await orders.provider.refundPart(shop.url, order.intentId, 2120);
    await order.tell('charge.dispute.closed');
    await order.tell('charge.refunded');
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ state: 'refunded', refundedPrice: 21.2, refunds: [{ state: 'done' }] });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('leaves no alert when it was given in the dashboard before the shop knew that the dispute was won', async () => {
    const order = await refuse();
    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    await orders.provider.refundPart(shop.url, order.intentId, 2120);
    await order.tell('charge.refunded');
    expect(await order.alerts()).toEqual(['dispute-lost', 'refunded-twice']);
    await order.tell('charge.dispute.closed');
    expect(await order.alerts()).toEqual(['dispute-reversed']);
    await sweepOrders(shop.deps);
    expect(await order.page()).toMatchObject({ state: 'refunded', refundedPrice: 21.2, refunds: [{ state: 'done' }] });
    expect(await order.alerts()).toEqual([]);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it.each([
    ['without webhooks', () => reconcilePayments(shop.deps)],
    ['by the webhook of that refund', (order: ClaimedOrder) => order.tell('charge.refunded')],
  ])('counts what staff gave in the dashboard after the win once, %s', async (_, find) => {
    const order = await refuse({ amount: 1 });
    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    await orders.provider.refundPart(shop.url, order.intentId, 100);
    await find(order);
    await order.tell('charge.dispute.closed');
    await sweepOrders(shop.deps);
    expect(await shop.deps.payments.refundedCents(order.intentId)).toBe(100);
    expect(await order.page()).toMatchObject({ state: 'disputed', refundedPrice: 1, refunds: [{ state: 'done' }] });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is requested again only after another dispute of the payment is won, too', async () => {
    const order = await refuse();
    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    const [first] = await shop.deps.payments.listClaims(order.intentId);
    if (!first) throw new Error('The provider lists no dispute');
    for (const [outcome, state] of [
      ['open', 'refunded'],
      ['won', 'refunding'],
    ] as const) {
      const payments = {
        ...shop.deps.payments,
        listClaims: async () => [first, { ...first, id: `${first.id}-2`, outcome }],
      };
      await followClaims({ ...shop.deps, payments }, await getOrder(shop.deps.db, order.orderId));
      expect((await order.page()).state).toBe(state);
    }
    expect(await order.alerts()).toEqual(['dispute-reversed']);
    await tryFinishRefunds(shop.deps, order.orderId);
    expect(await shop.deps.payments.refundedCents(order.intentId)).toBe(2120);
    expect(await order.page()).toMatchObject({ state: 'refunded', refunds: [{ state: 'done', settledNote: null }] });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is counted in the metrics once it is settled', async () => {
    const counted = vi.spyOn(shop.deps.metrics, 'refunded');
    const order = await refuse();
    const { totalPrice } = await order.page();
    expect(counted.mock.calls).toEqual([[Math.round(totalPrice * 100)]]);
    counted.mockRestore();
  });

  it('is settled for an amount when the dispute took the whole payment', async () => {
    const order = await refuse({ amount: 1 });
    expect(await order.page()).toMatchObject({ state: 'disputed', refundedPrice: 1, refunds: [{ state: 'done' }] });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('waits for an administrator when the dispute took only a part', async () => {
    const order = await refuse({}, { amountCents: 100 });
    const { state, refunds } = await order.page();
    expect([state, refunds]).toMatchObject(['refunding', [{ state: 'failed', isSettleable: true }]]);
    await order.act('settle-refund', { refund: refunds[0]?._id, attempt: 1, reason: 'By bank transfer' });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is settled without a webhook when it was refused after the loss was recorded', async () => {
    const order = await orders.buy();
    await orders.provider.claim('dispute', order.intentId);
    await orders.provider.moveDispute(order.intentId, { status: 'lost' });
    const { totalPrice } = await order.page();
    await shop.deps.db.transaction().execute(async (trx) => {
      await beginRefund(shop.deps, trx, await getOrder(trx, order.orderId), refund);
    });
    await order.tell('charge.dispute.closed');
    await tryFinishRefunds(shop.deps, order.orderId);
    expect(await order.page()).toMatchObject({ state: 'refunding', refunds: [{ state: 'failed' }] });
    await reconcileClaims(shop.deps, new Date(Date.now() + 60_000));
    expect(await order.page()).toMatchObject({ state: 'refunded', refundedPrice: totalPrice });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });
});

it('a refund that was refused because of an open dispute is requested as soon as the bank has decided for the shop', async () => {
  const order = await orders.buy();
  await orders.provider.claim('dispute', order.intentId);
  const { totalPrice } = (await order.act('refund', { reason: 'Asked for by the buyer' })).page;
  await order.tell('charge.dispute.created');
  expect((await order.page()).refunds).toMatchObject([{ state: 'failed' }]);
  await orders.provider.moveDispute(order.intentId, { status: 'won' });
  await order.tell('charge.dispute.closed');
  await sweepOrders(shop.deps);
  expect(await order.page()).toMatchObject({ state: 'refunded', refundedPrice: totalPrice });
  expect(await order.alerts()).toEqual([]);
  expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
});

describe('a dispute that is reopened after a win', () => {
  it('freezes the order again, blocks refunds, and raises its alert again', async () => {
    const order = await orders.buy();
    await order.dispute();
    await order.move({ status: 'won' });
    expect(await order.alerts()).toEqual([]);
    await order.move({ status: 'appeal_under_review' });
    expect(await order.page()).toMatchObject({ frozen: 'dispute', disputed: true, refundable: false });
    expect(await order.alerts()).toEqual(['dispute']);
    expect(await order.contents()).toEqual([null, null]);
    await order.move({ status: 'won' });
    expect(await order.page()).toMatchObject({ frozen: null, disputed: false, refundable: true });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('withdraws items that were read after the win, and the books stay right', async () => {
    const order = await orders.buy();
    await order.dispute();
    const { db } = shop.deps;
    const frozen_at = new Date(Date.now() - 3_600_000);
    await db.updateTable('order_freezes').set({ frozen_at }).where('order_id', '=', order.orderId).execute();
    await order.move({ status: 'won' });
    expect(await order.contents()).not.toContain(null);
    await order.move({ status: 'lost' });
    expect((await order.page()).state).toBe('disputed');
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });
});
