import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { endAlert, listOpenAlerts } from '../../src/server/features/admin/alerts.queries.ts';
import { reconcilePayments } from '../../src/server/features/checkout/reconcile-payments.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { openShop } from '../../src/server/features/closing/closing.ts';
import { settleRefund } from '../../src/server/features/orders/finish-refunds.ts';
import { refundByAdmin } from '../../src/server/features/orders/refund-order.ts';
import { checkHeldBack, comparePayments, listDoubtful } from '../../src/server/features/recovery/check-held-back.ts';
import {
  findRestoredBackup,
  holdOrdersBack,
  storeRestoredBackup,
} from '../../src/server/features/recovery/recovery.queries.ts';
import { listToSignOff } from '../../src/server/features/recovery/secure-restored.ts';
import { PaymentRefused } from '../../src/server/platform/payments/payments.ts';
import { MINUTE_MS } from '../../src/shared/durations.ts';
import { AppError } from '../../src/shared/errors.ts';
import { openAdminOrders } from '../admin-orders.ts';
import { checkBooksOf } from '../books.ts';
import { type MadeProduct, makeGoods, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { openProviderDesk } from '../faults/provider-desk.ts';
import { createShopper } from '../shopper.ts';
import type { TestShop } from '../test-shop.ts';
import { openRestores } from './restored-shops.ts';

const actor = { userId: null, name: 'test', ip: '' };

const { startNew, restore, stopShops, stopAll } = openRestores();
afterEach(stopShops);
afterAll(stopAll);

/** Does the first background work of a restored shop. */
async function catchUp(restored: TestShop) {
  restored.pass(MINUTE_MS);
  while (await sweepOrders(restored.deps));
  await checkHeldBack(restored.deps);
  await reconcilePayments(restored.deps);
}

async function signIn(shop: TestShop, email: string) {
  const browser = createShopper(shop.url);
  await browser.signIn(email, TEST_PASSWORD);
  return browser;
}

/** Opens a customer's order of these goods and authorises the card; `place` captures and delivers. */
async function authorise(shop: TestShop, product: MadeProduct, quantity: number) {
  const { email } = await makeUser(shop.deps);
  const buyer = await signIn(shop, email);
  return { email, buyer, ...(await buyer.authorise([{ product, quantity }])) };
}

type Bought = Pick<Awaited<ReturnType<typeof authorise>>, 'orderId' | 'intentId'>;

/** When the backup is taken: before the order is placed, or after. */
const moments = ['open', 'delivered'] as const;

async function loseAfter(
  moment: (typeof moments)[number],
  product: (shop: TestShop) => Promise<MadeProduct>,
  since: (lost: TestShop, order: Bought, product: MadeProduct) => Promise<unknown>,
) {
  const { shop: lost, backUp } = await startNew();
  const goods = await product(lost);
  const order = await authorise(lost, goods, 2);
  if (moment === 'delivered') await order.place();
  const backup = await backUp();
  if (moment === 'open') expect((await order.place()).status).toBe(201);
  await since(lost, order, goods);
  const restored = await restore(backup, lost);
  await catchUp(restored);
  const desk = await openAdminOrders(restored);
  const buyer = await signIn(restored, order.email);
  return { ...order, lost, restored, desk, buyer, goods };
}

async function refundUnit(shop: TestShop, orderId: string) {
  const desk = await openAdminOrders(shop);
  const [line] = (await desk.page(orderId)).lines;
  const lines = [{ line: line?._id, quantity: 1 }];
  return desk.act(orderId, 'refund', { reason: 'One is enough', lines });
}

/** Puts the item that was returned unread on sale again and sells it to another guest; returns its key. */
async function sellAgain(shop: TestShop, product: MadeProduct) {
  const { admin } = await openAdminOrders(shop);
  const returned = shop.deps.db.selectFrom('items').select('id').where('state', '=', 'quarantined');
  const { id } = await returned.executeTakeFirstOrThrow();
  const path = `/api/digital-products/${product.id}/inventory/${id}/restore`;
  expect((await admin.post(path, { reason: 'Nobody has read it' })).status).toBe(200);
  const other = createShopper(shop.url);
  const { orderId } = await other.buy([{ product, quantity: 1 }], { email: 'other@example.com' });
  const [key = ''] = await other.readKeys(orderId);
  return key;
}

const refundsOf = (shop: TestShop, { intentId }: Bought) => shop.deps.payments.listRefunds(intentId);

describe.each(moments)('an order that was %s in the backup and partly refunded since', (moment) => {
  it('does not deliver the item that was sold to another buyer, and is refunded once', async () => {
    let resold = '';
    const keys = (shop: TestShop) => makeProduct(shop.deps, { items: 2 });
    const { restored, desk, buyer, goods, ...order } = await loseAfter(moment, keys, async (lost, paid, product) => {
      expect((await refundUnit(lost, paid.orderId)).status).toBe(200);
      resold = await sellAgain(lost, product);
    });
    expect(goods.keys).toContain(resold);
    expect(await buyer.readKeys(order.orderId)).toEqual([null, null]);
    const report = await listDoubtful(restored.deps, await comparePayments(restored.deps));
    const facts = { orderId: order.orderId, unknownCents: 1060, payments: [expect.stringMatching(/^pi_/)] };
    expect(report).toEqual({ held: 1, doubtful: [facts] });

    expect((await desk.act(order.orderId, 'unfreeze', { reason: 'Try' })).status).toBe(409);
    expect((await refundUnit(restored, order.orderId)).status).toBe(200);
    expect(await refundsOf(restored, order)).toMatchObject([{ cents: 1060 }]);
    expect((await desk.act(order.orderId, 'unfreeze', { reason: 'The refund is entered' })).status).toBe(200);
    expect(await buyer.readKeys(order.orderId)).toEqual(goods.keys.filter((key) => key !== resold));
    // The other buyer's order is missing in the backup.
    const { faults } = await checkBooksOf(restored.deps);
    expect(faults.map(({ invariant }) => invariant)).toEqual(['I1']);
  });

  it.each(['shared', 'file', 'manual', 'physical'] as const)(
    'stays held back with its %s goods until the refund is entered',
    async (kind) => {
      const make = (shop: TestShop) => makeGoods(shop.deps, kind, 2);
      const { restored, desk, buyer, ...order } = await loseAfter(moment, make, (lost, { orderId }) =>
        refundUnit(lost, orderId),
      );
      const { lines, frozen } = await desk.page(order.orderId);
      expect(frozen).toBe('restore');
      const deliver = {
        shared: () => buyer.readKeys(order.orderId),
        file: () => buyer.post(`/api/digital-orders/${order.orderId}/items/${lines[0]?.items[0]?._id}/download`),
        manual: () => desk.act(order.orderId, 'deliver-unit', { line: lines[0]?._id, unit: 1, content: 'typed' }),
        physical: () => desk.act(order.orderId, 'ship', { carrier: 'Post', trackingNumber: '1' }),
      }[kind];
      expect(await deliver()).toMatchObject(
        kind === 'shared' ? [null, null] : { status: 409, body: { code: 'ITEM_FROZEN' } },
      );
      expect((await refundUnit(restored, order.orderId)).status).toBe(200);
      expect(await refundsOf(restored, order)).toHaveLength(1);
      expect((await desk.act(order.orderId, 'unfreeze', { reason: 'The refund is entered' })).status).toBe(200);
      expect(await checkBooksOf(restored.deps)).toMatchObject({ faults: [] });
    },
  );
});

it.each(moments)(
  'an order that was %s in the backup is held back if another payment names its item',
  async (moment) => {
    let resold = '';
    const keys = (shop: TestShop) => makeProduct(shop.deps, { items: 2 });
    const { restored, desk, buyer, goods, ...order } = await loseAfter(
      moment,
      keys,
      async (lost, { orderId }, product) => {
        const { lines } = await (await openAdminOrders(lost)).page(orderId);
        // Refunded outside the provider, so that it knows of no refund and the item may be sold again.
        const refuse = () => Promise.reject(new PaymentRefused('declined', 'The bank does not take it'));
        const refund = randomUUID();
        await refundByAdmin(
          { ...lost.deps, payments: { ...lost.deps.payments, refundIntent: refuse } },
          {
            orderId,
            draft: refund,
            reason: 'One is enough',
            lines: [{ line: lines[0]?._id ?? '', quantity: 1 }],
            actor,
          },
        );
        await settleRefund(lost.deps, { orderId, refund, attempt: 1, reason: 'In cash', actor });
        resold = await sellAgain(lost, product);
      },
    );
    expect(await refundsOf(restored, order)).toEqual([]);
    expect(await buyer.readKeys(order.orderId)).toEqual([null, null]);
    expect((await desk.act(order.orderId, 'unfreeze', { reason: 'Try' })).status).toBe(409);
    expect((await refundUnit(restored, order.orderId)).status).toBe(200);
    expect(await refundsOf(restored, order)).toMatchObject([{ cents: 1060 }]);
    expect((await desk.act(order.orderId, 'unfreeze', { reason: 'Its money is back' })).status).toBe(200);
    expect(await buyer.readKeys(order.orderId)).toEqual(goods.keys.filter((key) => key !== resold));
  },
);

it('the report lists an order with a refund in cash before the backup and a refund at the provider since', async () => {
  const { shop: lost, backUp } = await startNew();
  const { orderId, intentId, place } = await authorise(lost, await makeProduct(lost.deps, { items: 3 }), 3);
  await place();
  const refuse = () => Promise.reject(new PaymentRefused('declined', 'The bank does not take it'));
  const refusing = { ...lost.deps, payments: { ...lost.deps.payments, refundIntent: refuse } };
  const [refund, lines] = [randomUUID(), (await (await openAdminOrders(lost)).page(orderId)).lines];
  const unit = [{ line: lines[0]?._id ?? '', quantity: 1 }];
  await refundByAdmin(refusing, { orderId, draft: refund, reason: 'Broken', lines: unit, actor });
  await settleRefund(lost.deps, { orderId, refund, attempt: 1, reason: 'In cash', actor });
  const backup = await backUp();
  await refundUnit(lost, orderId);
  const { deps } = await restore(backup, lost);
  const { doubtful } = await listDoubtful(deps, await comparePayments(deps));
  expect(doubtful).toEqual([{ orderId, unknownCents: 1060, payments: [] }]);
  expect(await deps.payments.refundedCents(intentId)).toBe(1060);
});

describe.each(moments)('an order that was %s in the backup', (moment) => {
  const keys = (shop: TestShop) => makeProduct(shop.deps, { items: 2 });

  it('delivers its items if nothing was refunded since', async () => {
    const { desk, buyer, goods, orderId, restored } = await loseAfter(moment, keys, async () => undefined);
    expect(await buyer.readKeys(orderId)).toEqual(goods.keys);
    const { timeline, questioned } = await desk.page(orderId);
    expect([timeline.filter(({ kind }) => kind === 'frozen'), questioned]).toEqual([[], false]);
    expect(await checkBooksOf(restored.deps)).toMatchObject({ faults: [] });
  });

  it('ends as refunded, without items, if all of its money was refunded since', async () => {
    const { desk, buyer, orderId, restored } = await loseAfter(moment, keys, async (lost, order) => {
      await (await openAdminOrders(lost)).act(order.orderId, 'refund', { reason: 'Not wanted' });
    });
    expect(await buyer.readKeys(orderId)).toEqual([]);
    expect((await desk.page(orderId)).state).toBe('refunded');
    expect(await checkBooksOf(restored.deps)).toMatchObject({ faults: [] });
  });

  it.each([
    ['open', 'fulfilled', 'dispute'],
    ['won', 'fulfilled', null],
    ['lost', 'disputed', null],
  ] as const)('follows a dispute that is %s', async (outcome, state, frozen) => {
    const { desk, orderId } = await loseAfter(moment, keys, async (lost, { intentId }) => {
      const provider = await openProviderDesk(lost.deps.db);
      await provider.claim('dispute', intentId);
      if (outcome !== 'open') await provider.decide(lost.url, intentId, outcome);
    });
    expect(await desk.page(orderId)).toMatchObject({ state, frozen });
  });
});

it('an order that expired after the backup is cancelled again, and its resold item is not offered for release', async () => {
  const { shop: lost, backUp } = await startNew();
  const product = await makeProduct(lost.deps, { items: 1 });
  const { email } = await makeUser(lost.deps);
  const { body } = await (await signIn(lost, email)).openPayment([{ product, quantity: 1 }]);
  const backup = await backUp();
  lost.pass(4 * MINUTE_MS);
  while (await sweepOrders(lost.deps));
  await createShopper(lost.url).buy([{ product, quantity: 1 }], { email: 'quicker@example.com' });
  const restored = await restore(backup, lost);
  restored.pass(4 * MINUTE_MS);
  await checkHeldBack(restored.deps);
  const report = await listDoubtful(restored.deps, await comparePayments(restored.deps));
  expect(report.doubtful).toEqual([]);
  await catchUp(restored);
  const { state } = await (await openAdminOrders(restored)).page(body.orderId ?? '');
  expect(state).toBe('cancelled');
  expect((await listOpenAlerts(restored.deps.db)).map(({ kind }) => kind)).toEqual(['unknown-payment']);
  expect(await listToSignOff(restored.deps)).toEqual([]);
});

it.each(['shared', 'file', 'manual', 'physical'] as const)(
  'units of %s goods that an order took before the backup do not return to the stock after a restore',
  async (kind) => {
    const { shop: lost, backUp } = await startNew();
    const goods = await makeGoods(lost.deps, kind, 9);
    const paid = await authorise(lost, goods, 2);
    expect((await paid.place()).status).toBe(201);
    const { orderId: unpaid = '' } = (
      await (await signIn(lost, (await makeUser(lost.deps)).email)).openPayment([{ product: goods, quantity: 3 }])
    ).body;
    const restored = await restore(await backUp(), lost);
    restored.pass(4 * MINUTE_MS);
    await catchUp(restored);
    const desk = await openAdminOrders(restored);
    expect((await desk.page(unpaid)).state).toBe('cancelled');
    expect((await refundUnit(restored, paid.orderId)).status).toBe(200);
    const stock = async () => {
      const product = restored.deps.db.selectFrom('products').select('stock').where('id', '=', goods.id);
      return (await product.executeTakeFirstOrThrow()).stock;
    };
    expect(await stock()).toBe(0);
    // What is sold after the restore does return.
    await openShop(restored.deps, { reason: 'Counted', actor });
    const counted = kind === 'physical' ? `/api/admin/products/${goods.id}` : `/api/digital-products/${goods.id}`;
    expect((await desk.admin.send('PUT', counted, { stock: 4 })).status).toBe(200);
    const sold = await authorise(restored, goods, 1);
    expect((await sold.place()).status).toBe(201);
    expect(await stock()).toBe(3);
    expect((await refundUnit(restored, sold.orderId)).status).toBe(200);
    expect(await stock()).toBe(4);
    expect(await checkBooksOf(restored.deps)).toMatchObject({ faults: [] });
  },
);

it('an order raises a new alert when a second restore holds it back', async () => {
  const shared = (shop: TestShop) => makeGoods(shop.deps, 'shared', 2);
  const { restored, desk, orderId } = await loseAfter('delivered', shared, (lost, order) =>
    refundUnit(lost, order.orderId),
  );
  const { db, clock } = restored.deps;
  // The provider's event about the refund may raise an alert of its own meanwhile.
  const listHeldBackAlerts = async () => (await listOpenAlerts(db)).filter(({ kind }) => kind === 'held-back');
  const [alert, ...others] = await listHeldBackAlerts();
  expect([alert?.order_id, others]).toEqual([orderId, []]);
  expect((await desk.act(orderId, 'unfreeze', { reason: 'The buyer waits' })).status).toBe(200);
  await endAlert(db, alert?.id ?? '', clock.now());
  const takenAt = await findRestoredBackup(db);
  await db.transaction().execute(async (trx) => {
    await storeRestoredBackup(trx, new Date((takenAt?.getTime() ?? 0) - 1000).toISOString(), clock.now());
    await holdOrdersBack(trx, clock.now());
  });
  await checkHeldBack(restored.deps);
  expect((await desk.page(orderId)).frozen).toBe('restore');
  expect(await listHeldBackAlerts()).toMatchObject([{ order_id: orderId }]);
});

it('a check with a stale list of refunds does not release an order that another process holds back', async () => {
  const { shop: lost, backUp } = await startNew();
  const goods = await makeProduct(lost.deps, { items: 2 });
  const { orderId, intentId, email, place } = await authorise(lost, goods, 2);
  await place();
  expect(await (await signIn(lost, email)).readKeys(orderId)).toEqual(goods.keys);
  const backup = await backUp();
  const restored = await restore(backup, lost);
  const { deps } = restored;
  const listAllRefunds: typeof deps.payments.listAllRefunds = async function* () {
    yield* [];
    await (await openProviderDesk(deps.db)).refundPart(restored.url, intentId, 100);
    await checkHeldBack(deps);
  };
  await checkHeldBack({ ...deps, payments: { ...deps.payments, listAllRefunds } });
  expect((await (await openAdminOrders(restored)).page(orderId)).frozen).toBe('restore');
});

it('an order stays held back while the provider is unavailable', async () => {
  const keys = (shop: TestShop) => makeProduct(shop.deps, { items: 2 });
  const { restored, buyer, goods, orderId } = await loseAfter('delivered', keys, async () => undefined);
  const { deps } = restored;
  await deps.db.transaction().execute((trx) => holdOrdersBack(trx, deps.clock.now()));
  const away = async function* () {
    yield* [];
    throw new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away');
  };
  const silent = { ...deps, payments: { ...deps.payments, listIntents: away } };
  await expect(checkHeldBack(silent)).rejects.toThrow('The provider is away');
  expect(await buyer.readKeys(orderId)).toEqual([null, null]);
  await checkHeldBack(deps);
  expect(await buyer.readKeys(orderId)).toEqual(goods.keys);
});

it('a payment is matched to its order even if the order has no payment in the backup', async () => {
  const { shop: lost, backUp } = await startNew();
  const product = await makeProduct(lost.deps, { items: 1 });
  const order = await authorise(lost, product, 1);
  const setIntent = (id: string | null) =>
    lost.deps.db.updateTable('orders').set({ payment_intent_id: id }).where('id', '=', order.orderId).execute();
  await setIntent(null);
  const backup = await backUp();
  await setIntent(order.intentId);
  expect((await order.place()).status).toBe(201);
  // The provider forgets idempotency keys after a day.
  await lost.deps.db.deleteFrom('test_mode_idempotency_keys').execute();
  const restored = await restore(backup, lost);
  await catchUp(restored);
  expect(await (await signIn(restored, order.email)).readKeys(order.orderId)).toEqual(product.keys);
});
