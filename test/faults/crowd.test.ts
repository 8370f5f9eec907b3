import { describe, expect, it } from 'vitest';
import { allGoods, type MadeProduct } from '../factories.ts';
import { createShopper, totalOf } from '../shopper.ts';
import { PATIENT } from '../test-shop.ts';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { newPurchase, type Purchase } from './purchase.ts';
import type { ShopProcess } from './shop-process.ts';

const BUYERS = 200;
const WITHIN_A_MINUTE_MS = 45_000;
const AFTER_THE_HOLD_MS = 16 * 60_000;

const { buyerWaitMs, databaseLimits } = PATIENT;
const patient = { env: { BUYER_WAIT_MS: String(buyerWaitMs), DATABASE_LIMITS: JSON.stringify(databaseLimits) } };

/** Each buyer orders one unit at the price shown. One succeeds; all others get the `refusal` code before they pay. */
async function raceForOne(world: FaultWorld, product: MadeProduct, refusal: string): Promise<void> {
  const shops = await Promise.all([world.start(patient), world.start(patient)]);
  const cart = [{ product, quantity: 1 }];
  const answers = await Promise.all(
    Array.from({ length: BUYERS }, async (_, n) => {
      const buyer = createShopper(n % 2 === 0 ? shops[0].url : shops[1].url);
      const guest = { email: `crowd-${n}@example.com`, password: `password-of-${n}` };
      const opened = await buyer.openPayment(cart, guest, { totalPrice: totalOf(cart) });
      if (opened.status !== 200) return opened;
      await buyer.confirmCard(opened.body.clientSecret ?? '');
      return buyer.placeOrder(cart, opened.body.clientSecret ?? '', guest);
    }),
  );
  const told = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).toSorted();
  expect(told).toEqual(['201 ', ...Array(BUYERS - 1).fill(`409 ${refusal}`)]);
  const captured = world.db.selectFrom('test_mode_intents').select('id').where('captured_cents', '>', 0);
  expect(await captured.execute()).toHaveLength(1);
  await world.rest();
  expect(await world.violations()).toEqual([]);
}

describe('concurrent buyers', FAULT_TEST_LIMIT, () => {
  it.each(allGoods)(
    'compete for the only unit of %s goods: one of 200 buys it, all others are refused before paying',
    async (kind) => {
      await using world = await openFaultWorld();
      await raceForOne(world, await world.makeGoods(kind, 1), 'OUT_OF_STOCK');
    },
  );

  it.each(['digital', 'physical', 'shared'] as const)(
    'compete for the last flash-sale unit of %s goods: one of 200 buys it, all others see a new price before paying',
    async (kind) => {
      await using world = await openFaultWorld();
      const product = await world.makeGoods(kind, 5);
      const sale = { flash_price_cents: 500, flash_units_limit: 1 };
      await world.db.updateTable('products').set(sale).where('id', '=', product.id).execute();
      await raceForOne(world, { ...product, price: 5 }, 'PRICE_CHANGED');
    },
  );

  it('make 50 calls for one payment in two processes, and get one order, one account and one mail', async () => {
    await using world = await openFaultWorld();
    const shops = await Promise.all([world.start(patient), world.start(patient)]);
    const purchase = await newPurchase(world, shops[0].url);
    await purchase.open();
    await purchase.confirmCard();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        purchase.moveTo(n % 2 === 0 ? shops[0].url : shops[1].url);
        return purchase.place();
      }),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 201,
        body: { data: { _id: purchase.orderId, status: 'Delivered', access: 'signed-in' } },
      });
    }
    // Both buyers are signed in to the same account, which has one order.
    for (const answer of [answers[0], answers[49]]) {
      const buyer = createShopper(shops[0].url);
      buyer.setToken(answer?.body.data?.token);
      expect((await buyer.get('/api/digital-orders/myorders')).body.data).toHaveLength(1);
      expect(await buyer.readKeys(purchase.orderId)).toEqual(purchase.product.keys);
    }
    expect(await world.db.selectFrom('users').select('email').execute()).toEqual([{ email: purchase.email }]);
    await world.rest();
    expect(await world.violations()).toEqual([]);
  });

  it('get what they pay for even if the process is killed twice', async () => {
    await using world = await openFaultWorld();
    const first = await world.start({ crashAt: 'goods-pinned', passing: 4 });
    // Three units: each of the two deaths may leave an order whose answer was lost and that holds a unit; the third is
    // sold.
    const purchases = await Promise.all(Array.from({ length: 12 }, () => newPurchase(world, first.url, 3)));
    await buyUntilDead(first, purchases);
    const second = await world.start({ crashAt: 'payment-captured', passing: 3 });
    await buyUntilDead(second, purchases);
    const third = await world.start();
    const placed = await Promise.all(purchases.map((purchase) => buy(purchase, third.url)));
    for (const [n, answer] of placed.entries()) {
      expect(answer).toMatchObject({ status: 201, body: { data: { _id: purchases[n]?.orderId } } });
    }
    await third.pass(AFTER_THE_HOLD_MS + WITHIN_A_MINUTE_MS);
    await world.rest(AFTER_THE_HOLD_MS + WITHIN_A_MINUTE_MS);
    const delivered = world.db.selectFrom('orders').select('id').where('state', '=', 'fulfilled');
    expect(await delivered.execute()).toHaveLength(12);
    expect(await world.violations()).toEqual([]);
  });
});

/** Lets all purchases go on at once, from whatever state they are in, until the process dies. */
async function buyUntilDead(shop: ShopProcess, purchases: Purchase[]): Promise<void> {
  await Promise.allSettled(purchases.map((purchase) => buy(purchase, shop.url)));
  expect(await shop.ended).toBe('SIGKILL');
}

async function buy(purchase: Purchase, url: string) {
  purchase.moveTo(url);
  if (!purchase.orderId) await purchase.open();
  await purchase.confirmCard();
  return purchase.place();
}
