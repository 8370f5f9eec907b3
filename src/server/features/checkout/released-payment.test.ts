import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { reconcilePayments } from './reconcile-payments.ts';
import { settleOrder } from './settle-order.ts';
import { sweepOrders } from './sweep-orders.ts';

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

it('an order of which somebody captures a part meanwhile delivers nothing, and the part is given back', async () => {
  const { deps } = shop;
  const cart = [{ product: await makeProduct(deps, { items: 1 }), quantity: 1 }];
  const { orderId, intentId } = await createShopper(shop.url).authorise(cart, { email: 'part@example.com' });
  const retrieveIntent: typeof deps.payments.retrieveIntent = async (id) => {
    const intent = await deps.payments.retrieveIntent(id);
    await sql`
      UPDATE test_mode_intents SET status = 'succeeded', captured_cents = 500, version = version + 1
      WHERE id = ${id} AND status = 'requires_capture'`.execute(deps.db);
    return intent;
  };
  const meanwhile = { ...deps, payments: { ...deps.payments, retrieveIntent } };
  await expect(settleOrder(meanwhile, orderId)).rejects.toMatchObject({ code: 'PAYMENT_MISMATCH' });
  shop.pass(MINUTE_MS);
  await sweepOrders(deps);
  const order = await deps.db.selectFrom('orders').select('state').where('id', '=', orderId).executeTakeFirst();
  expect(order).toEqual({ state: 'refunded' });
  expect(await deps.payments.refundedCents(intentId)).toBe(500);
  expect((await checkBooksOf(deps)).faults).toEqual([]);
});
