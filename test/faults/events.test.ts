import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_PASSWORD } from '../factories.ts';
import { createShopper, intentIdOf, type Shopper } from '../shopper.ts';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { openProviderDesk, type ProviderDesk } from './provider-desk.ts';
import type { ShopProcess } from './shop-process.ts';

const AFTER_THE_HOLD_MS = 16 * 60_000;

let world: FaultWorld;
let desk: ProviderDesk;
let shops: [ShopProcess, ShopProcess];
let email: string;

// Two processes of one shop. Only the tests deliver events.
beforeAll(async () => {
  world = await openFaultWorld();
  shops = [await world.start({ webhooks: 'off' }), await world.start({ webhooks: 'off' })];
  desk = await openProviderDesk(world.db);
  ({ email } = await world.makeUser());
}, FAULT_TEST_LIMIT.timeout);
afterAll(() => world[Symbol.asyncDispose]());

async function signIn({ url }: ShopProcess): Promise<Shopper> {
  const buyer = createShopper(url);
  await buyer.signIn(email, TEST_PASSWORD);
  return buyer;
}

/** Opens an order of one unit, and confirms its card unless `confirmed` is false. */
async function openOrder(buyer: Shopper, { confirmed = true } = {}) {
  const product = await world.makeProduct({ items: 1 });
  const cart = [{ product, quantity: 1 }];
  // With the cookie of an earlier order, the new order would replace that one.
  buyer.cookies.clear();
  const { body } = await buyer.openPayment(cart);
  const { clientSecret = '', orderId = '' } = body;
  if (confirmed) await buyer.confirmCard(clientSecret);
  const place = () => buyer.placeOrder(cart, clientSecret);
  return { orderId, intentId: intentIdOf(clientSecret), key: product.keys[0], place };
}

async function findOrder(orderId: string) {
  const order = world.db.selectFrom('orders').selectAll().where('id', '=', orderId);
  return order.executeTakeFirstOrThrow();
}

describe('the client’s call and the webhook', FAULT_TEST_LIMIT, () => {
  it('deliver each of 200 orders once if they arrive at the same time', async () => {
    const buyers = await Promise.all([signIn(shops[0]), signIn(shops[1])]);
    const buyOne = async (buyer: Shopper, round: number) => {
      const order = await openOrder(buyer);
      const event = desk.writeEvent('payment_intent.amount_capturable_updated', order.intentId);
      // Every other event is delivered to the process that the client calls.
      const { url } = round % 2 === 0 ? shops[0] : shops[1];
      const [placed, delivered] = await Promise.all([order.place(), desk.deliver(url, event)]);
      expect(placed).toMatchObject({ status: 201, body: { data: { _id: order.orderId, status: 'Delivered' } } });
      expect(delivered).toBe(200);
      return { keys: await buyer.readKeys(order.orderId), key: order.key };
    };
    const bought = await Promise.all(
      buyers.map(async (buyer) => {
        const orders = [];
        for (let round = 0; round < 100; round += 1) orders.push(await buyOne(buyer, round));
        return orders;
      }),
    );
    expect(bought.flat()).toHaveLength(200);
    for (const { keys, key } of bought.flat()) expect(keys).toEqual([key]);
    expect(await world.violations()).toEqual([]);
  });
});

describe('a webhook event', FAULT_TEST_LIMIT, () => {
  it('received ten times at once settles its order once, and a later copy changes nothing', async () => {
    const order = await openOrder(await signIn(shops[0]));
    const event = desk.writeEvent('payment_intent.amount_capturable_updated', order.intentId);
    const deliveries = Array.from({ length: 10 }, (_, n) => desk.deliver(shops[n < 5 ? 0 : 1].url, event));
    expect(new Set(await Promise.all(deliveries))).toEqual(new Set([200]));
    const settled = await findOrder(order.orderId);
    expect(settled.state).toBe('fulfilled');
    expect(await desk.deliver(shops[0].url, event)).toBe(200);
    expect(await findOrder(order.orderId)).toEqual(settled);
    expect(await world.violations()).toEqual([]);
  });

  it('received out of sequence settles the order, and the late earlier event changes nothing', async () => {
    const order = await openOrder(await signIn(shops[0]));
    const captured = desk.writeEvent('payment_intent.succeeded', order.intentId);
    expect(await desk.deliver(shops[0].url, captured)).toBe(200);
    const settled = await findOrder(order.orderId);
    expect(settled.state).toBe('fulfilled');
    const events = await desk.listEvents(order.intentId);
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.amount_capturable_updated',
      'payment_intent.succeeded',
    ]);
    for (const { payload } of events.toReversed()) expect(await desk.deliver(shops[1].url, payload)).toBe(200);
    expect(await findOrder(order.orderId)).toEqual(settled);
  });

  it('that reports “paid” for an unconfirmed card changes nothing', async () => {
    const order = await openOrder(await signIn(shops[0]), { confirmed: false });
    for (const type of ['amount_capturable_updated', 'succeeded']) {
      expect(await desk.deliver(shops[0].url, desk.writeEvent(`payment_intent.${type}`, order.intentId))).toBe(200);
    }
    expect((await findOrder(order.orderId)).state).toBe('pending');
  });

  it('that reports “cancelled” for a confirmed card delivers the order, and a repeated event changes nothing', async () => {
    const order = await openOrder(await signIn(shops[0]));
    const cancelled = () => desk.deliver(shops[0].url, desk.writeEvent('payment_intent.canceled', order.intentId));
    expect(await cancelled()).toBe(200);
    const settled = await findOrder(order.orderId);
    expect(settled.state).toBe('fulfilled');
    expect(await cancelled()).toBe(200);
    expect(await findOrder(order.orderId)).toEqual(settled);
  });

  it('of the payment that arrives after the refund delivers nothing', async () => {
    const order = await openOrder(await signIn(shops[0]));
    await order.place();
    await shops[0].refund(order.orderId);
    const refunded = await findOrder(order.orderId);
    expect(refunded.state).toBe('refunded');
    for (const { payload } of await desk.listEvents(order.intentId)) {
      expect(await desk.deliver(shops[1].url, payload)).toBe(200);
    }
    expect(await findOrder(order.orderId)).toEqual(refunded);
    expect(await world.violations()).toEqual([]);
  });

  it('of a refund made at the provider refunds the order', async () => {
    const order = await openOrder(await signIn(shops[0]));
    await order.place();
    await desk.act(shops[0].url, 'refund', order.intentId);
    const event = (await desk.listEvents(order.intentId)).find(({ type }) => type === 'charge.refunded');
    expect(await desk.deliver(shops[0].url, event?.payload ?? '')).toBe(200);
    expect((await findOrder(order.orderId)).state).toBe('refunded');
    expect(await world.violations()).toEqual([]);
  });

  it('of a dispute leaves viewed items open until the dispute is lost', async () => {
    const buyer = await signIn(shops[0]);
    const order = await openOrder(buyer);
    await order.place();
    expect(await buyer.readKeys(order.orderId)).toEqual([order.key]);
    await desk.claim('dispute', order.intentId);
    const disputed = desk.writeEvent('charge.dispute.created', order.intentId);
    expect(await desk.deliver(shops[0].url, disputed)).toBe(200);
    expect((await findOrder(order.orderId)).state).toBe('fulfilled');
    expect(await buyer.readKeys(order.orderId)).toEqual([order.key]);
    expect(await world.violations()).toEqual([]);

    await desk.decide(shops[0].url, order.intentId, 'lost');
    expect(await desk.deliver(shops[1].url, desk.writeEvent('charge.dispute.closed', order.intentId))).toBe(200);
    expect((await findOrder(order.orderId)).state).toBe('disputed');
    expect(await buyer.readKeys(order.orderId)).toEqual([]);
    expect(await world.violations()).toEqual([]);
  });

  it('of a payment without an order is accepted and ignored', async () => {
    const event = desk.writeEvent('payment_intent.succeeded', 'pi_of_another_shop');
    expect(await desk.deliver(shops[0].url, event)).toBe(200);
    expect(await world.violations()).toEqual([]);
  });
});

describe('a cancelled authorisation', FAULT_TEST_LIMIT, () => {
  // Stripe also announces the release of an authorisation as a refund of its charge.
  it('is not recorded as a refund, although the provider sends a refund event', async () => {
    const order = await openOrder(await signIn(shops[0]));
    await desk.act(shops[0].url, 'cancel', order.intentId);
    await shops[0].pass(AFTER_THE_HOLD_MS);
    await shops[1].pass(AFTER_THE_HOLD_MS);
    await world.rest(AFTER_THE_HOLD_MS);
    const given = await findOrder(order.orderId);
    expect(given.state).toBe('cancelled');
    const later = await openProviderDesk(world.db, { now: () => new Date(Date.now() + AFTER_THE_HOLD_MS) });
    const event = later.writeEvent('charge.refunded', order.intentId);
    expect(await later.deliver(shops[0].url, event)).toBe(200);
    expect(await findOrder(order.orderId)).toEqual(given);
    expect(await world.violations()).toEqual([]);
  });
});
