import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { type ClaimedOrder, openClaimedOrders } from '../../../../test/claimed-orders.ts';
import { makeGoods } from '../../../../test/factories.ts';
import { loseDispute } from '../../../../test/lost-dispute.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { listOrdersPaidOn, sumTaxPaidOn } from '../admin/reports.queries.ts';
import { lastDays, rollUpSalesDays, sumSales } from '../admin/stats.queries.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { reconcileClaims } from './follow-claims.ts';

const SHOP_AHEAD_MS = 8 * HOUR_MS;

const shop = await openTestShop({ deliverTestWebhooks: false });
const orders = await openClaimedOrders(shop);

/** An order of two units, after a dispute of `amountCents` of it was lost. */
async function lose(amountCents: number) {
  const order = await orders.buy();
  await order.dispute({ amountCents });
  await order.move({ status: 'lost' });
  return order;
}

/** Refunds what the provider refuses to refund after a dispute, and settles it in another way. */
async function refundAsTaken(order: ClaimedOrder, wanted: object) {
  const { page } = await order.act('refund', { reason: 'The bank has decided', ...wanted });
  const [refund] = page.refunds;
  expect(refund?.state).toBe('failed');
  const reason = 'The bank took a part, the rest was transferred';
  return order.act('settle-refund', { refund: refund?._id, attempt: refund?.attempt, reason });
}

/** Follows only claims that the shop knows of, as reconcilePayments does for older claims. */
const lookAgain = () => reconcileClaims(shop.deps, new Date(Date.now() + 60_000));

describe('an order that lost part of its amount in a dispute', () => {
  it('stays frozen, with an alert, until an administrator unfreezes it', async () => {
    const order = await lose(100);
    const held = { state: 'fulfilled', frozen: 'dispute', disputed: false, refundable: true };
    expect(await order.page()).toMatchObject(held);
    expect(await order.contents()).toEqual([null, null]);
    await order.tell('charge.dispute.closed');
    expect(await order.page()).toMatchObject(held);
    expect(await order.alerts()).toEqual(['dispute', 'dispute-lost-in-part']);

    await order.act('unfreeze', { reason: 'The buyer keeps both' });
    await order.tell('charge.dispute.closed');
    expect(await order.page()).toMatchObject({ state: 'fulfilled', frozen: null, disputed: false });
    expect(await order.contents()).not.toContain(null);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('keeps the buyer’s unit after the other one was settled with the disputed money', async () => {
    const order = await orders.buy();
    const { totalPrice, lines } = await order.page();
    await order.dispute({ amountCents: Math.round(totalPrice * 50) });
    await order.move({ status: 'lost' });
    await refundAsTaken(order, { lines: [{ line: lines[0]?._id, quantity: 1 }] });
    await order.act('unfreeze', { reason: 'The buyer keeps the other one' });
    await lookAgain();
    await order.tell('charge.dispute.closed');
    expect(await order.page()).toMatchObject({ state: 'fulfilled', frozen: null, refundable: true });
    expect(await order.contents()).toEqual([expect.any(String)]);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('subtracts the lost part from revenue and reports until the loss is reversed', async () => {
    const { db } = shop.deps;
    const order = await orders.buy();
    const now = shop.deps.clock.now();
    const paidOn = new Date(now.getTime() + SHOP_AHEAD_MS).toISOString().slice(0, 10);
    const figures = async () => {
      // Adds up today, too.
      await rollUpSalesDays(db, new Date(now.getTime() + 2 * DAY_MS));
      const { revenueCents } = await sumSales(db, lastDays(now, 30));
      const { refundedCents, refundedTaxCents } = await sumTaxPaidOn(db, paidOn);
      const [sold] = (await listOrdersPaidOn(db, paidOn, undefined, 100)).filter(({ id }) => id === order.orderId);
      return { revenueCents, refundedCents, refundedTaxCents, ofOrder: sold?.refunded_cents };
    };
    const before = await figures();
    const less = (cents: number, tax: number) => ({
      revenueCents: before.revenueCents - cents,
      refundedCents: before.refundedCents + cents,
      refundedTaxCents: before.refundedTaxCents + tax,
      ofOrder: cents,
    });
    await order.dispute({ amountCents: 530 });
    await order.move({ status: 'lost' });
    expect(await figures()).toEqual(less(530, 30));
    await order.move({ status: 'won' });
    expect(await figures()).toEqual(less(0, 0));
  });

  it('counts a refund that was settled with the disputed money only once', async () => {
    const order = await lose(530);
    const lostOf = async () => {
      const { rows } = await sql`SELECT lost_cents AS cents FROM orders WHERE id = ${order.orderId}`.execute(
        shop.deps.db,
      );
      return rows;
    };
    expect(await lostOf()).toEqual([{ cents: 530 }]);
    const { lines } = await order.page();
    await refundAsTaken(order, { lines: [{ line: lines[0]?._id, quantity: 1 }] });
    expect(await lostOf()).toEqual([{ cents: 0 }]);
  });

  it('cannot be cancelled by its buyer, even after it was unfrozen', async () => {
    const order = await lose(100);
    await order.act('unfreeze', { reason: 'The buyer keeps both' });
    const cancelled = await order.buyer.post(`/api/orders/mine/${order.orderId}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 409 });
    expect((await order.page()).state).toBe('fulfilled');
  });

  it('raises no further alert after a refund, except when the dispute is won after all', async () => {
    const order = await lose(100);
    const { page } = await refundAsTaken(order, {});
    expect(page.state).toBe('refunded');
    await lookAgain();
    expect(await order.alerts()).toEqual(['dispute']);

    await orders.provider.moveDispute(order.intentId, { status: 'won' });
    await lookAgain();
    expect(await order.alerts()).toEqual(['dispute-reversed']);
  });

  it('is frozen again, with an alert, when the dispute is lost again after a reversal', async () => {
    const order = await lose(100);
    await order.act('unfreeze', { reason: 'The buyer keeps both' });
    await order.move({ status: 'won' });
    expect(await order.alerts()).toEqual([]);
    await order.move({ status: 'lost' });
    expect(await order.page()).toMatchObject({ frozen: 'dispute', disputed: false });
    expect(await order.alerts()).toEqual(['dispute-lost-in-part']);
  });

  it('is withdrawn by a refund that the provider refuses and an administrator settles', async () => {
    const order = await lose(100);
    expect((await refundAsTaken(order, {})).page.state).toBe('refunded');
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is withdrawn when the lost part is all that was left of the payment', async () => {
    const order = await orders.buy();
    const { totalPrice } = await order.page();
    await order.act('refund', { reason: 'A discount', amount: 1 });
    await order.dispute({ amountCents: Math.round(totalPrice * 100) - 100 });
    await order.move({ status: 'lost' });
    expect((await order.page()).state).toBe('disputed');
    expect(await order.items()).toEqual([]);
  });
});

it('a part refunded in the dashboard before all was lost in a dispute does not mark the goods as shipped', async () => {
  const { db } = shop.deps;
  const cart = [{ product: await makeGoods(shop.deps, 'physical', 2), quantity: 2 }];
  const { orderId } = await createShopper(shop.url).buy(cart, { email: 'never-shipped@example.com' });
  const intentId = (await getOrder(db, orderId)).payment_intent_id ?? '';
  await orders.provider.refundPart(shop.url, intentId, 100);
  const event = orders.provider.writeEvent('charge.refunded', intentId);
  expect(await orders.provider.deliver(shop.url, event)).toBe(200);
  await loseDispute(shop.deps, orderId);
  const lost = { state: 'disputed', refunded_cents: 100, shipped_at: null, delivered_at: null };
  expect(await getOrder(db, orderId)).toMatchObject(lost);
});

it('a dispute of an order that waits for a person leaves no unit waiting when it is lost', async () => {
  const cart = [{ product: await makeGoods(shop.deps, 'manual', 1), quantity: 1 }];
  const { orderId } = await createShopper(shop.url).buy(cart, { email: 'never-typed@example.com' });
  await loseDispute(shop.deps, orderId);
  expect(await getOrder(shop.deps.db, orderId)).toMatchObject({ state: 'disputed', waiting_units: 0 });
  expect((await checkBooksOf(shop.deps)).faults.filter(({ invariant }) => invariant === 'I3')).toEqual([]);
});
