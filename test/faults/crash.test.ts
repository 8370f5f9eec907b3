import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CrashPoint, crashPoints } from '../../src/server/deps.ts';
import { countStockOnSale } from '../../src/server/features/inventory/inventory.queries.ts';
import { type KindOfGoods, SHARED_CONTENT, SMALL_FILE } from '../factories.ts';
import { askForDownload, readDownload } from '../product-files.ts';
import { CARDS } from '../shopper.ts';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { openProviderDesk } from './provider-desk.ts';
import { claimByMail, newPurchase, type Purchase } from './purchase.ts';
import type { ShopProcess } from './shop-process.ts';

const WITHIN_A_MINUTE_MS = 45_000;
const AFTER_THE_HOLD_MS = 16 * 60_000;

interface Scenario {
  /** Brings the purchase to the state before the call in which the process dies. */
  approach(purchase: Purchase): Promise<unknown>;
  call(purchase: Purchase, shop: ShopProcess): Promise<unknown>;
  /** The final state of the first order if nobody calls again. */
  outcome: 'fulfilled' | 'cancelled' | 'refunded';
}

const opening: Scenario = {
  approach: async () => undefined,
  call: (purchase) => purchase.open(),
  outcome: 'cancelled',
};
const replacing: Scenario = {
  approach: (purchase) => purchase.open(1),
  call: (purchase) => purchase.open(2),
  outcome: 'cancelled',
};
const settling: Scenario = {
  approach: async (purchase) => {
    await purchase.open();
    await purchase.confirmCard();
  },
  call: (purchase) => purchase.place(),
  outcome: 'fulfilled',
};
const refunding: Scenario = {
  approach: async (purchase) => {
    await settling.approach(purchase);
    await purchase.place();
  },
  call: (purchase, shop) => shop.refund(purchase.orderId),
  outcome: 'refunded',
};

const scenarios: Record<CrashPoint, Scenario> = {
  'order-written': opening,
  'intent-created': opening,
  'intent-stored': opening,
  'goods-pinned': settling,
  'payment-captured': settling,
  'order-fulfilled': settling,
  'cancelled-at-provider': replacing,
  'goods-released': replacing,
  'refund-begun': refunding,
  'refunded-at-provider': refunding,
};

/** The kinds of goods that an order has at once: those that are delivered when they are paid, and the others. */
const carts: [string, KindOfGoods[]][] = [
  ['digital, shared and file', ['digital', 'shared', 'file']],
  ['physical and manual', ['physical', 'manual']],
];

const ITEMS = 5;
const UNITS = 3;

const refundingUnits: Scenario = {
  approach: async (purchase) => {
    await purchase.open(UNITS);
    await purchase.confirmCard();
    await purchase.place();
  },
  call: (purchase, shop) => shop.refundUnits(purchase.orderId),
  outcome: 'fulfilled',
};

/** Starts a shop that dies at the point, in the call of its scenario; returns the purchase. */
async function dieAt(
  world: FaultWorld,
  kinds: KindOfGoods[],
  point: CrashPoint,
  { approach, call } = scenarios[point],
): Promise<Purchase> {
  const shop = await world.start({ crashAt: point, webhooks: 'off' });
  const purchase = await newPurchase(world, shop.url, ITEMS, kinds);
  await approach(purchase);
  await expect(call(purchase, shop)).rejects.toThrow();
  expect(await shop.ended).toBe('SIGKILL');
  return purchase;
}

const statesOf = async (world: FaultWorld) =>
  (await world.db.selectFrom('orders').select('state').orderBy('created_at').execute()).map(({ state }) => state);

async function countAvailable({ db }: FaultWorld, { goods }: Purchase) {
  const counted = goods.map(async ({ kind, product: { id } }) => {
    const { available } = await db.transaction().execute((trx) => countStockOnSale(trx, id));
    return [kind, available] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

const ofEach = (kinds: readonly KindOfGoods[], count: (kind: KindOfGoods) => number) =>
  Object.fromEntries(kinds.map((kind) => [kind, count(kind)]));

/** Both ways on from one death: the world and the purchase as they were then. */
function afterDeathAt(kinds: KindOfGoods[], point: CrashPoint, scenario?: Scenario) {
  let died: { purchase: Purchase; worlds: FaultWorld[] } | undefined;
  beforeAll(async () => {
    const world = await openFaultWorld();
    const purchase = await dieAt(world, kinds, point, scenario);
    died = { purchase, worlds: await world.split() };
  }, FAULT_TEST_LIMIT.timeout);
  afterAll(async () => {
    for (const world of died?.worlds ?? []) await world[Symbol.asyncDispose]();
  });
  return (way: 0 | 1) => {
    const world = died?.worlds[way];
    if (!died || !world) throw new Error('The process has not died');
    return { world, purchase: died.purchase };
  };
}

const orderOfGoods = 'when the process dies with an order of %s goods';
describe.concurrent.each(carts)(orderOfGoods, FAULT_TEST_LIMIT, (_names, kinds) => {
  describe.each(crashPoints)('at %s', (point) => {
    const { outcome, call } = scenarios[point];
    const died = afterDeathAt(kinds, point);

    it('the next process finishes the order if the call is not repeated', async () => {
      const { world, purchase } = died(0);
      const clockAheadMs = outcome === 'cancelled' ? AFTER_THE_HOLD_MS : WITHIN_A_MINUTE_MS;
      const { url } = await world.start({ clockAheadMs, webhooks: 'off' });
      await world.rest(clockAheadMs);
      expect(await statesOf(world)).toEqual([outcome]);
      // Goods that were refunded before they were shipped or seen are available again; a key is not.
      const isBack = (kind: KindOfGoods) => outcome === 'cancelled' || (outcome === 'refunded' && kind !== 'digital');
      expect(await countAvailable(world, purchase)).toEqual(
        ofEach(kinds, (kind) => (isBack(kind) ? ITEMS : ITEMS - 1)),
      );
      if (outcome === 'fulfilled' && kinds.includes('digital')) {
        const buyer = await claimByMail(world, url, purchase.orderId);
        const [key, ...others] = await buyer.readKeys(purchase.orderId);
        expect(purchase.product.keys).toContain(key);
        // A file is not read but downloaded.
        expect(others).toEqual([SHARED_CONTENT, null]);
        const { id: itemId } = await world.db
          .selectFrom('items')
          .innerJoin('order_lines', 'order_lines.id', 'order_line_id')
          .select('items.id')
          .where('delivery', '=', 'file')
          .executeTakeFirstOrThrow();
        const download = await readDownload(url, await askForDownload(buyer, { ...purchase, itemId }));
        expect([download.status, download.content.toString()]).toEqual([200, SMALL_FILE]);
      }
      expect(await world.violations()).toEqual([]);
    });

    it('repeated calls get one order and the same answer', async () => {
      const { world, purchase } = died(1);
      const shop = await world.start();
      purchase.moveTo(shop.url);
      await call(purchase, shop);
      if (outcome === 'cancelled') await purchase.confirmCard();
      const first = await purchase.place();
      const second = await purchase.place();
      const paid = kinds.includes('digital') ? 'Delivered' : 'Processing';
      const status = outcome === 'refunded' ? 'Cancelled' : paid;
      expect(first).toMatchObject({ status: 201, body: { data: { _id: purchase.orderId, status } } });
      expect(second).toMatchObject({ status: 201, body: { data: { _id: purchase.orderId, status } } });

      // The order of the lost answer is cancelled when its hold is over.
      await shop.pass(AFTER_THE_HOLD_MS);
      await world.rest(AFTER_THE_HOLD_MS);
      const states = await statesOf(world);
      expect(states.filter((state) => state !== 'cancelled')).toEqual([
        outcome === 'refunded' ? 'refunded' : 'fulfilled',
      ]);
      expect(await world.db.selectFrom('users').select('email').execute()).toEqual([{ email: purchase.email }]);
      expect(await world.violations()).toEqual([]);
    });
  });
});

describe.concurrent('a process that has just answered', FAULT_TEST_LIMIT, () => {
  it.each(carts)('keeps the acknowledged order of %s goods when it is killed', async (_names, kinds) => {
    await using world = await openFaultWorld();
    const shop = await world.start({ webhooks: 'off' });
    const purchase = await newPurchase(world, shop.url, ITEMS, kinds);
    await settling.approach(purchase);
    const told = await purchase.place();
    await shop.kill();
    expect(told.status).toBe(201);
    expect(await statesOf(world)).toEqual(['fulfilled']);
    const { url } = await world.start({ webhooks: 'off' });
    purchase.moveTo(url);
    const order = { _id: purchase.orderId, status: told.body.data?.status };
    expect(await purchase.place()).toMatchObject({ status: 201, body: { data: order } });
    await world.rest();
    expect(await world.violations()).toEqual([]);
  });
});

const unitOfGoods = 'when the process dies during the refund of one of three units of each of %s goods';
describe.concurrent.each(carts)(unitOfGoods, FAULT_TEST_LIMIT, (_names, kinds) => {
  describe.each(['refund-begun', 'refunded-at-provider'] as const)('at %s', (point) => {
    const died = afterDeathAt(kinds, point, refundingUnits);

    it('the next process finishes the refund', async () => {
      const { world, purchase } = died(0);
      await world.start({ clockAheadMs: WITHIN_A_MINUTE_MS, webhooks: 'off' });
      await world.rest(WITHIN_A_MINUTE_MS);
      expect(await statesOf(world)).toEqual(['fulfilled']);
      const left = (kind: KindOfGoods) => ITEMS - UNITS + (kind === 'digital' ? 0 : 1);
      expect(await countAvailable(world, purchase)).toEqual(ofEach(kinds, left));
      expect(await world.violations()).toEqual([]);
    });

    it('refunding another unit and then the whole order refunds each unit once', async () => {
      const { world, purchase } = died(1);
      const shop = await world.start();
      await shop.refundUnits(purchase.orderId);
      expect(await statesOf(world)).toEqual(['fulfilled']);
      await shop.refund(purchase.orderId);
      await world.rest(WITHIN_A_MINUTE_MS);
      expect(await statesOf(world)).toEqual(['refunded']);
      expect(await world.violations()).toEqual([]);
    });
  });
});

const refundingSlowly: Scenario = {
  ...refundingUnits,
  approach: async (purchase) => {
    await purchase.open(UNITS);
    await purchase.confirmCard(CARDS.slowRefund);
    await purchase.place();
  },
};

describe.concurrent(
  'when the process dies during a refund that the provider reports as pending',
  FAULT_TEST_LIMIT,
  () => {
    it.each(['refund-begun', 'refunded-at-provider'] as const)(
      'at %s: the refund is requested once, and its failure is recorded',
      async (point) => {
        await using world = await openFaultWorld();
        const purchase = await dieAt(world, ['digital'], point, refundingSlowly);
        const shop = await world.start({ clockAheadMs: WITHIN_A_MINUTE_MS, webhooks: 'off' });
        const refund = () =>
          world.db.selectFrom('refunds').select(['state', 'provider_id', 'failure']).executeTakeFirstOrThrow();
        const isTaken = { state: 'pending', provider_id: expect.any(String) };
        await vi.waitFor(async () => expect(await refund()).toMatchObject(isTaken), { timeout: 30_000 });

        const bank = await openProviderDesk(world.db);
        const { payment_intent_id: intentId } = await world.db
          .selectFrom('orders')
          .select('payment_intent_id')
          .where('id', '=', purchase.orderId)
          .executeTakeFirstOrThrow();
        await bank.endRefund(intentId ?? '', { status: 'failed', reason: 'declined' });
        expect(await bank.deliver(shop.url, bank.writeEvent('refund.failed', intentId ?? ''))).toBe(200);
        expect(await refund()).toMatchObject({ state: 'failed', failure: 'declined' });
        expect(await world.db.selectFrom('test_mode_refunds').select('id').execute()).toHaveLength(1);
      },
    );
  },
);

const receiptsIn = ({ db }: FaultWorld) =>
  db.selectFrom('receipts').select(['number', 'order_id', 'refund_id']).orderBy('number').execute();

it('the next process issues the numbered receipt of an order after a crash', FAULT_TEST_LIMIT, async () => {
  await using world = await openFaultWorld();
  const { orderId } = await dieAt(world, ['digital'], 'order-fulfilled');
  expect(await statesOf(world)).toEqual(['fulfilled']);
  expect(await receiptsIn(world)).toEqual([]);
  await world.start({ webhooks: 'off' });
  const receipt = { number: 1, order_id: orderId, refund_id: null };
  await vi.waitFor(async () => expect(await receiptsIn(world)).toEqual([receipt]), { timeout: 30_000 });
});
