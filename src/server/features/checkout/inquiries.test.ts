import { describe, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { openClaimedOrders, storyOf } from '../../../../test/claimed-orders.ts';
import { makeGoods, makeUser } from '../../../../test/factories.ts';
import { buyAsCustomer } from '../../../../test/purchases.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { listFreezes } from '../orders/freezes.queries.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { followClaims, reconcileClaims } from './follow-claims.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const orders = await openClaimedOrders(shop);

const INQUIRY = { status: 'warning_needs_response', caseType: 'inquiry' } as const;
const CHARGEBACK = { status: 'needs_response', caseType: 'chargeback' } as const;

/** An order about whose payment the bank inquires. */
async function inquire() {
  const order = await orders.buy();
  await order.dispute(INQUIRY);
  return order;
}

const items = { locked: [null, null], open: [expect.any(String), expect.any(String)] };

describe('an order with an open inquiry of the bank', () => {
  it('is frozen, with an alert, until the inquiry is closed', async () => {
    const order = await inquire();
    expect(await order.page()).toMatchObject({
      frozen: 'inquiry',
      disputed: false,
      refundable: true,
      questioned: true,
    });
    expect(await order.alerts()).toEqual(['inquiry']);
    expect(await order.contents()).toEqual(items.locked);
    await order.move({ status: 'warning_under_review' });
    expect(await order.contents()).toEqual(items.locked);

    await order.move({ status: 'warning_closed' });
    const page = await order.page();
    expect(page.frozen).toBeNull();
    expect(storyOf(page)).toContain('The bank has closed its inquiry');
    expect(await order.alerts()).toEqual([]);
    expect(await order.contents()).toEqual(items.open);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('can be refunded, which ends the inquiry', async () => {
    const order = await inquire();
    expect((await order.act('refund', { reason: 'The bank asks' })).page.state).toBe('refunded');
    await order.move({ status: 'warning_closed' });
    expect(await order.alerts()).toEqual([]);
    expect(await listFreezes(shop.deps.db, order.orderId)).toMatchObject([{ cause: 'inquiry', outcome: 'won' }]);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('can be cancelled by an administrator', async () => {
    const product = await makeGoods(shop.deps, 'physical', 1);
    const orderId = await buyAsCustomer(shop, await makeUser(shop.deps), [{ product, quantity: 1 }]);
    const { desk, provider } = orders;
    await provider.claim('dispute', (await desk.page(orderId)).paymentResult?.id ?? '', INQUIRY);
    await reconcileClaims(shop.deps, new Date(0));
    expect(await desk.page(orderId)).toMatchObject({ frozen: 'inquiry', allowed: ['Shipped', 'Cancelled'] });
    const cancelled = await desk.act(orderId, 'status', { status: 'Cancelled', reason: 'The bank asks' });
    expect(cancelled.page.state).toBe('refunded');
  });

  it('can be refunded when an earlier dispute of its payment was won', async () => {
    const order = await orders.buy();
    await order.dispute();
    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    const [won] = await shop.deps.payments.listClaims(order.intentId);
    if (!won) throw new Error('The provider lists no dispute');
    const inquiry = { ...won, id: `${won.id}-2`, cause: 'inquiry' as const, outcome: 'open' as const };
    const payments = { ...shop.deps.payments, listClaims: async () => [won, inquiry] };
    await followClaims({ ...shop.deps, payments }, await getOrder(shop.deps.db, order.orderId));
    expect(await order.page()).toMatchObject({ frozen: 'inquiry', disputed: false, refundable: true });
  });
});

describe('a fraud warning', () => {
  it('ends when the inquiry is closed, and does not return with a later claim', async () => {
    const order = await inquire();
    await order.warn();
    await order.move({ status: 'warning_closed' });
    expect((await order.page()).frozen).toBeNull();
    expect(await order.alerts()).toEqual([]);
    // It does not come back with another claim.
    await order.move(CHARGEBACK);
    expect(await order.alerts()).toEqual(['dispute']);
  });

  it('after a closed inquiry freezes the order, with an alert, until it is unfrozen', async () => {
    const order = await inquire();
    await order.move({ status: 'warning_closed' });
    await order.warn();
    await order.tell('charge.dispute.closed');
    expect((await order.page()).frozen).toBe('fraud-warning');
    expect(await order.alerts()).toEqual(['fraud-warning']);
    await order.act('unfreeze', { reason: 'Spoke to the buyer' });
    await order.tell('charge.dispute.closed');
    expect((await order.page()).frozen).toBeNull();
  });
});

describe('an inquiry that becomes a dispute', () => {
  it('keeps its id, freezes an unfrozen order again, and blocks refunds', async () => {
    const order = await inquire();
    await order.act('unfreeze', { reason: 'Spoke to the buyer' });
    await order.move(CHARGEBACK);
    expect(await order.page()).toMatchObject({ frozen: 'dispute', disputed: true, refundable: false });
    expect(await order.contents()).toEqual(items.locked);
    expect(await order.alerts()).toEqual(['dispute']);
    expect((await order.act('refund', { reason: 'The bank asks' })).body.code).toBe('REFUND_REFUSED');
    await order.move({ status: 'won' });
    expect(await order.page()).toMatchObject({ frozen: null, disputed: false, refundable: true });
    expect(await order.contents()).toEqual(items.open);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('stays a dispute when a stale list of the provider that says inquiry is recorded late', async () => {
    const order = await inquire();
    const older = await shop.deps.payments.listClaims(order.intentId);
    await order.move(CHARGEBACK);
    const payments = { ...shop.deps.payments, listClaims: async () => older };
    await followClaims({ ...shop.deps, payments }, await getOrder(shop.deps.db, order.orderId));
    expect(await order.page()).toMatchObject({ frozen: 'dispute', disputed: true, refundable: false });
  });

  it('is found without webhooks, even after the items were unfrozen', async () => {
    const order = await inquire();
    await order.act('unfreeze', { reason: 'Spoke to the buyer' });
    await orders.provider.moveDispute(order.intentId, CHARGEBACK);
    // The inquiry is older than what is compared again.
    await reconcileClaims(shop.deps, new Date(Date.now() + 60_000));
    expect((await order.page()).frozen).toBe('dispute');
  });

  it('withdraws the items when it is lost, and can be refunded when it is won after all', async () => {
    const order = await inquire();
    await orders.provider.moveDispute(order.intentId, CHARGEBACK);
    await order.move({ status: 'lost' });
    expect(await order.page()).toMatchObject({ state: 'disputed', refundable: false });
    expect(await order.alerts()).toEqual(['dispute-lost']);
    await order.move({ status: 'won' });
    expect((await order.act('refund', { reason: 'Won after all' })).page.state).toBe('refunded');
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });
});
