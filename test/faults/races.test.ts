import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startBackgroundWork } from '../../src/server/background-work.ts';
import type { Deps } from '../../src/server/deps.ts';
import { releaseOrder } from '../../src/server/features/checkout/release-order.ts';
import { settleOrder } from '../../src/server/features/checkout/settle-order.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { refundAllThatIsLeft } from '../../src/server/features/orders/refund-order.ts';
import { AppError } from '../../src/shared/errors.ts';
import { allGoods, type KindOfGoods, makeGoods } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';
import { FAULT_TEST_LIMIT } from './fault-world.ts';
import { findViolations, listUnfinished, recordSales } from './invariants.ts';

const ROUNDS = 40;
const WITHIN_A_MINUTE_MS = 45_000;
const AFTER_THE_HOLD_MS = 16 * 60_000;

let shop: TestShop;
let uploaded = 0;
beforeAll(async () => {
  shop = await startTestShop({ deliverTestWebhooks: false });
  await recordSales(shop.deps.db);
});
afterAll(() => shop.stop());

/** Returns the shop's dependencies with a clock that is ahead, like those of another process. */
const ahead = (milliseconds: number): Deps => ({
  ...shop.deps,
  clock: { now: () => new Date(Date.now() + milliseconds) },
});

async function openOrder(name: string, kind: KindOfGoods = 'digital') {
  const product = await makeGoods(shop.deps, kind, 1);
  uploaded += product.keys.length;
  const buyer = createShopper(shop.url);
  const guest = { email: `${name}@example.com`, password: 'a-guest-chooses' };
  const cart = [{ product, quantity: 1 }];
  const { orderId = '', clientSecret = '' } = (await buyer.openPayment(cart, guest)).body;
  return {
    orderId,
    confirmCard: () => buyer.confirmCard(clientSecret),
    place: () => buyer.placeOrder(cart, clientSecret, guest),
    state: async () => {
      const order = shop.deps.db.selectFrom('orders').select('state').where('id', '=', orderId);
      return (await order.executeTakeFirstOrThrow()).state;
    },
  };
}

async function expectBooksInOrder(clockAheadMs: number): Promise<void> {
  const now = new Date(Date.now() + clockAheadMs);
  expect(await findViolations(shop.deps.db, { now, uploaded })).toEqual([]);
}

describe.each(allGoods)('a race for %s goods', FAULT_TEST_LIMIT, (kind) => {
  it('between the buyer and the end of the hold has one winner, and the buyer gets the matching answer', async () => {
    const outcomes = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = await openOrder(`hold-${kind}-${round}`, kind);
      const pay = async () => {
        await order.confirmCard();
        return order.place();
      };
      const [answer] = await Promise.all([pay(), releaseOrder(ahead(AFTER_THE_HOLD_MS), order.orderId, 'abandoned')]);
      const state = await order.state();
      outcomes.push(`${answer.status} ${state}`);
    }
    const possible = ['201 fulfilled', '402 cancelled'];
    expect(outcomes.filter((outcome) => !possible.includes(outcome))).toEqual([]);
    await expectBooksInOrder(0);
  });

  it('between two sweepers and the buyer’s call delivers once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = await openOrder(`sweep-${kind}-${round}`, kind);
      await order.confirmCard();
      const sweep = () => sweepOrders(ahead(WITHIN_A_MINUTE_MS));
      const [answer] = await Promise.all([order.place(), sweep(), sweep()]);
      expect(answer).toMatchObject({ status: 201, body: { data: { _id: order.orderId } } });
    }
    await expectBooksInOrder(WITHIN_A_MINUTE_MS);
  });

  it('between a check that began before the card was confirmed and the buyer’s call does not fail that call', async () => {
    const order = await openOrder(`early-look-${kind}`, kind);
    const [read, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const retrieveIntent = vi.fn(async (id: string) => {
      const isFirst = retrieveIntent.mock.calls.length === 1;
      const intent = await shop.deps.payments.retrieveIntent(id);
      read.resolve();
      if (isFirst) await mayEnd.promise;
      return intent;
    });
    const slow = { ...shop.deps, payments: { ...shop.deps.payments, retrieveIntent } };
    const look = settleOrder(slow, order.orderId);
    await read.promise;
    await order.confirmCard();
    const call = settleOrder(slow, order.orderId);
    mayEnd.resolve();
    await expect(look).rejects.toMatchObject({ code: 'PAYMENT_NOT_CONFIRMED' });
    expect(await call).toMatchObject({ id: order.orderId, state: 'fulfilled' });
  });
});

describe('the sweeper', FAULT_TEST_LIMIT, () => {
  it('finishes a refund while a row that references its order is being written', async () => {
    const order = await openOrder('referred-to');
    await order.confirmCard();
    await order.place();
    const refundIntent = () => Promise.reject(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away'));
    const away = { ...shop.deps, payments: { ...shop.deps.payments, refundIntent } };
    await expect(refundAllThatIsLeft(away, order.orderId, { reason: 'A test asked for it' })).rejects.toThrow('away');
    // A receipt locks its order like this, until all receipts of its batch are written.
    const writing = await shop.deps.db.startTransaction().execute();
    await sql`SELECT FROM orders WHERE id = ${order.orderId} FOR KEY SHARE`.execute(writing);
    await sweepOrders(ahead(WITHIN_A_MINUTE_MS));
    const state = await order.state();
    await writing.rollback().execute();
    expect(state).toBe('refunded');
  });

  it('delivers a hundred paid orders that their buyers left, without a pause between batches', async () => {
    let aheadMs = 0;
    const now = () => new Date(Date.now() + aheadMs);
    const sweeper = startBackgroundWork({ ...shop.deps, clock: { now } });
    for (let n = 0; n < 100; n += 1) await (await openOrder(`left-${n}`)).confirmCard();
    aheadMs = WITHIN_A_MINUTE_MS;
    const started = performance.now();
    await vi.waitFor(async () => expect(await listUnfinished(shop.deps.db, now())).toEqual([]), {
      timeout: 60_000,
      interval: 50,
    });
    await sweeper.stop();
    // The sweeper pauses for five seconds; a pause after every ten orders would take 50 seconds.
    expect(performance.now() - started).toBeLessThan(25_000);
    await expectBooksInOrder(WITHIN_A_MINUTE_MS);
  });
});
