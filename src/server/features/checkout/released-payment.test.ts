import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { reconcilePayments } from './reconcile-payments.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop({ deliverTestWebhooks: false });
});
afterAll(() => shop.stop());

it('a cancelled order whose money was reserved is not refunded: the provider only releases the money', async () => {
  const provider = await openProviderDesk(shop.deps.db);
  const cart = [{ product: await makeProduct(shop.deps, { items: 1 }), quantity: 1 }];
  const { orderId, intentId } = await createShopper(shop.url).authorise(cart, { email: 'buyer@example.com' });
  await provider.act(shop.url, 'cancel', intentId);

  const events = await provider.listEvents(intentId);
  for (const type of ['payment_intent.canceled', 'charge.refunded']) {
    const payload = events.find((event) => event.type === type)?.payload ?? '';
    expect(await provider.deliver(shop.url, payload)).toBe(200);
  }
  await reconcilePayments(shop.deps);

  const { db, payments } = shop.deps;
  const order = await db.selectFrom('orders').select(['state', 'refund_reason']).where('id', '=', orderId).execute();
  expect(order).toEqual([{ state: 'cancelled', refund_reason: null }]);
  expect(await db.selectFrom('refunds').select('id').where('order_id', '=', orderId).execute()).toEqual([]);
  expect(await payments.listRefunds(intentId)).toEqual([]);
  expect((await checkBooksOf(shop.deps)).faults).toEqual([]);
});
