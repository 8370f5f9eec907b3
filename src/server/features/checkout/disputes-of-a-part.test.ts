import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { type ClaimedOrders, openClaimedOrders } from '../../../../test/claimed-orders.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';

let shop: TestShop;
let orders: ClaimedOrders;
beforeAll(async () => {
  shop = await startTestShop({ deliverTestWebhooks: false });
  orders = await openClaimedOrders(shop);
});
afterAll(() => shop.stop());

/** An order of two units, after a dispute of so many of its cents was lost. */
async function lose(amountCents: number) {
  const order = await orders.buy();
  await order.dispute({ amountCents });
  await order.move({ status: 'lost' });
  return order;
}

describe('an order of which a part was lost in a dispute', () => {
  it('stays frozen with an alert until an administrator unfreezes it', async () => {
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

  it('is withdrawn by a refund, which the provider refuses and an administrator settles', async () => {
    const order = await lose(100);
    const { page } = await order.act('refund', { reason: 'The buyer keeps nothing' });
    const [refund] = page.refunds;
    expect([page.state, refund?.state]).toEqual(['refunding', 'failed']);
    const body = {
      refund: refund?._id,
      attempt: refund?.attempt,
      reason: 'The bank took $1, the rest was transferred',
    };
    const settled = await order.act('settle-refund', body);
    expect(settled.page.state).toBe('refunded');
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is withdrawn when the part is all that was left of its payment', async () => {
    const order = await orders.buy();
    const { totalPrice } = await order.page();
    await order.act('refund', { reason: 'A discount', amount: 1 });
    await order.dispute({ amountCents: Math.round(totalPrice * 100) - 100 });
    await order.move({ status: 'lost' });
    expect((await order.page()).state).toBe('disputed');
    expect(await order.items()).toEqual([]);
  });
});
