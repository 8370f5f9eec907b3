import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { printComparison } from '../../scripts/commands/print-comparison.ts';
import { reconcilePayments } from '../../src/server/features/checkout/reconcile-payments.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { openShop } from '../../src/server/features/closing/closing.ts';
import { checkHeldBack, comparePayments } from '../../src/server/features/recovery/check-held-back.ts';
import { listToSignOff, releaseSignedOff } from '../../src/server/features/recovery/secure-restored.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/durations.ts';
import { checkBooksOf } from '../books.ts';
import { type MadeProduct, makePhysicalProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { openProviderDesk } from '../faults/provider-desk.ts';
import { createLookupDesk } from '../order-lookups.ts';
import { buyAsGuest } from '../purchases.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { signedIn } from '../signed-in.ts';
import type { TestShop } from '../test-shop.ts';
import { openRestores } from './restored-shops.ts';

const actor = { userId: null, name: 'test', ip: '' };

const { startNew, restore, stopAll } = openRestores();
afterAll(stopAll);

let guests = 0;
/** Buys one unit as a new guest; returns the key. */
async function buyOne(shop: TestShop, product: MadeProduct) {
  guests += 1;
  const buyer = createShopper(shop.url);
  const { orderId } = await buyer.buy([{ product, quantity: 1 }], { email: `recovery-${guests}@example.com` });
  const [key = ''] = await buyer.readKeys(orderId);
  return key;
}

const statesOf = async (shop: TestShop, product: { id: string }) =>
  (
    await shop.deps.db.selectFrom('items').select('state').where('product_id', '=', product.id).orderBy('id').execute()
  ).map(({ state }) => state);
const idsOf = async (shop: TestShop) =>
  (await shop.deps.db.selectFrom('items').select('id').execute()).map(({ id }) => id);

it('a restored shop sells no item twice, even after the owner has released the unsold items', async () => {
  const { shop, backUp } = await startNew();
  const product = await makeProduct(shop.deps, { items: 60 });
  const sold: string[] = [];
  for (let n = 0; n < 10; n += 1) sold.push(await buyOne(shop, product));
  const waiting = createShopper(shop.url);
  const waitingCart = [{ product, quantity: 1 }];
  const { orderId, place } = await waiting.authorise(waitingCart, { email: 'waiting@example.com' });
  const backup = await backUp();
  for (let n = 0; n < 20; n += 1) sold.push(await buyOne(shop, product));
  expect((await place()).status).toBe(201);
  const [waitingKey = ''] = await waiting.readKeys(orderId);

  const restored = await restore(backup, shop);
  const { deps } = restored;
  const refused = await createShopper(restored.url).openPayment(waitingCart, { email: 'early@example.com' });
  expect(refused).toMatchObject({ status: 503, body: { code: 'SHOP_CLOSED' } });
  expect(restored.found?.missing).toHaveLength(20);
  expect(restored.found?.open).toMatchObject([{ orderId }]);

  // The open order is finished for its buyer, with the same item.
  restored.pass(MINUTE_MS);
  while (await sweepOrders(deps));
  const { rows } = await sql<{ state: string; items: string[] }>`
    SELECT orders.state, array_agg(items.state) AS items FROM orders JOIN order_lines ON order_id = orders.id
      JOIN items ON order_line_id = order_lines.id WHERE orders.id = ${orderId} GROUP BY orders.state`.execute(deps.db);
  expect(rows).toEqual([{ state: 'fulfilled', items: ['sold'] }]);

  expect(await listToSignOff(deps)).toHaveLength(29);
  const released = await releaseSignedOff(deps, { itemIds: await idsOf(restored), accepted: [] });
  expect(released).toEqual({ released: 29, paid: 31, others: 0 });
  await openShop(deps, { reason: 'Checked', actor });
  const again: string[] = [];
  for (let n = 0; n < 29; n += 1) again.push(await buyOne(restored, product));
  expect(new Set([...sold, waitingKey, ...again]).size).toBe(60);
  const last = await createShopper(restored.url).openPayment(waitingCart, { email: 'last@example.com' });
  expect(last.body.code).toBe('OUT_OF_STOCK');

  // The payments of missing orders are refunded at the provider; then the books match the provider's.
  const desk = await openProviderDesk(deps.db);
  expect((await checkBooksOf(deps)).faults.map(({ invariant }) => invariant)).toEqual(Array(20).fill('I1'));
  for (const { intent } of restored.found?.missing ?? []) await desk.act(restored.url, 'refund', intent.id);
  expect((await checkBooksOf(deps)).faults).toEqual([]);
});

it('the comparison counts sold items that were uploaded after the backup and are unknown to the shop', async () => {
  const { shop, backUp } = await startNew();
  const product = await makeProduct(shop.deps, { items: 1 });
  const backup = await backUp();
  await buyOne(shop, product);
  await buyOne(shop, await makeProduct(shop.deps, { items: 1 }));
  const restored = await restore(backup, shop);
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await printComparison(restored.deps);
  const printed = print.mock.calls.join('\n');
  print.mockRestore();
  expect(printed).toMatch(/captured\); order .*; 1 of /);
  expect(printed).toMatch(/captured\); order .*; 1 uploaded after the backup/);
  expect(printed).toContain('uploaded after the backup: 1. The shop does not recognise them');
});

/** Restores a backup that was taken between two sales, while the clock was ahead. */
async function restoreTakenAhead(aheadMs: number) {
  const { shop, backUp } = await startNew();
  const product = await makeProduct(shop.deps, { items: 2 });
  await buyOne(shop, product);
  const backup = await backUp();
  await buyOne(shop, product);
  const { manifest } = backup;
  const takenAt = new Date(Date.parse(manifest.takenAt) + aheadMs).toISOString();
  return restore({ ...backup, manifest: { ...manifest, takenAt } }, shop);
}

it('the comparison finds the payments since a backup that was taken while the clock was two hours ahead', async () => {
  const restored = await restoreTakenAhead(2 * HOUR_MS);
  expect(restored.found?.missing).toHaveLength(1);
  expect(await listToSignOff(restored.deps)).toEqual([]);
});

it('the comparison also finds them after the restored shop has sold again, before that time', async () => {
  const restored = await restoreTakenAhead(5 * HOUR_MS);
  restored.pass(2 * HOUR_MS);
  await openShop(restored.deps, { reason: 'Checked', actor });
  await buyOne(restored, await makeProduct(restored.deps, { items: 1 }));
  expect((await comparePayments(restored.deps)).missing).toHaveLength(1);
});

it('a payment without an order raises an alert even if it is older than the comparison covers', async () => {
  const { shop, backUp } = await startNew();
  const product = await makeProduct(shop.deps, { items: 1 });
  const backup = await backUp();
  await buyOne(shop, product);
  const restored = await restore(backup, shop);
  restored.pass(8 * 24 * 60 * MINUTE_MS);
  await reconcilePayments(restored.deps);
  await checkHeldBack(restored.deps);
  const alerts = restored.deps.db.selectFrom('alerts').select(['kind', 'subject']);
  const intentId = restored.found?.missing[0]?.intent.id;
  expect(await alerts.execute()).toEqual([{ kind: 'unknown-payment', subject: intentId }]);
});

describe('an item set aside by a restore', () => {
  let shop: TestShop;
  let admin: Shopper;
  let onSale: MadeProduct;
  let other: MadeProduct;
  let deleted: MadeProduct;
  let heldOrder: string;
  let unread: Awaited<ReturnType<typeof buyAsGuest>>;
  let mug: string;
  beforeAll(async () => {
    const { shop: lost, backUp } = await startNew();
    onSale = await makeProduct(lost.deps, { items: 2 });
    other = await makeProduct(lost.deps, { items: 1 });
    deleted = await makeProduct(lost.deps, { items: 2 });
    const before = await signedIn(lost, { role: 'admin' });
    await before.send('DELETE', `/api/digital-products/${deleted.id}`);
    const held = await makeProduct(lost.deps, { items: 1 });
    const opened = await createShopper(lost.url).openPayment([{ product: held, quantity: 1 }], {
      email: 'held@example.com',
    });
    heldOrder = opened.body.orderId ?? '';
    unread = await buyAsGuest(lost, { quantity: 1, warranty_days: 30 });
    mug = await makePhysicalProduct(lost.deps, { name: 'Mug', stock: 4 });
    shop = await restore(await backUp(), lost);
    admin = await signedIn(shop, { role: 'admin' });
  });

  const act = async (action: string, product: MadeProduct, body: object = { reason: 'Try' }) => {
    const [item] = await shop.deps.db
      .selectFrom('items')
      .select('id')
      .where('product_id', '=', product.id)
      .limit(1)
      .execute();
    return admin.post(`/api/digital-products/${product.id}/inventory/${item?.id}/${action}`, body);
  };
  const refused = { status: 409, body: { code: 'ITEM_NOT_AVAILABLE' } };

  it('is voided with a reason, like all other items that were on sale', async () => {
    const items = shop.deps.db.selectFrom('items').select(['state', 'void_reason', 'set_aside_at']);
    expect(await items.where('product_id', '=', onSale.id).execute()).toEqual(
      Array(2).fill({ state: 'voided', void_reason: 'On sale in a restored backup', set_aside_at: expect.any(Date) }),
    );
    const { rows } = await sql`SELECT FROM items WHERE state = 'available'`.execute(shop.deps.db);
    expect(rows).toEqual([]);
  });

  it.each([
    ['undone', 'undo-void', {}],
    ['put on sale again', 'restore', { reason: 'Try' }],
  ])('cannot be %s', async (_what, action, body) => {
    expect(await act(action, onSale, body)).toMatchObject(refused);
    expect(await statesOf(shop, onSale)).toEqual(['voided', 'voided']);
  });

  it('cannot be moved to another product', async () => {
    expect(await act('move', onSale, { reason: 'Try', product: other.id })).toMatchObject(refused);
  });

  it('counts as known, and stays off sale, when it is uploaded again', async () => {
    const body = { items: onSale.keys, restoreReason: 'Try' };
    const { body: answer } = await admin.post(`/api/digital-products/${onSale.id}/inventory`, body);
    expect(answer.data).toMatchObject({ report: { new: 0, known: 2, withdrawn: 0 }, stats: { available: 0 } });
  });

  it.each([
    ['Activate', { isActive: true }],
    ['undoing the deletion', { undoDelete: true }],
  ])('stays quarantined after %s of its product', async (_what, changes) => {
    await admin.send('PUT', `/api/digital-products/${deleted.id}`, changes);
    expect(await statesOf(shop, deleted)).toEqual(['quarantined', 'quarantined']);
    await admin.send('DELETE', `/api/digital-products/${deleted.id}`);
  });

  it('is voided instead of put on sale when the order that held it expires', async () => {
    shop.pass(4 * MINUTE_MS);
    while (await sweepOrders(shop.deps));
    const order = shop.deps.db.selectFrom('orders').select('state').where('id', '=', heldOrder);
    expect(await order.executeTakeFirst()).toEqual({ state: 'cancelled' });
    const { rows } = await sql`SELECT FROM items WHERE state IN ('available', 'held')`.execute(shop.deps.db);
    expect(rows).toEqual([]);
  });

  it('stays withdrawn when a refund returns it unread, and is not offered for release', async () => {
    const [product] = unread.products as [MadeProduct];
    expect((await admin.post(`/api/admin/orders/${unread.orderId}/refund`, { reason: 'Not wanted' })).status).toBe(200);
    expect(await act('restore', product)).toMatchObject(refused);
    const [item] = await shop.deps.db.selectFrom('items').select('id').where('product_id', '=', product.id).execute();
    expect((await listToSignOff(shop.deps)).map(({ id }) => id)).not.toContain(item?.id);
    const done = await releaseSignedOff(shop.deps, { itemIds: [item?.id ?? ''], accepted: [] });
    expect(done).toMatchObject({ released: 0 });
  });

  it('cannot be put on sale by SQL, because a constraint refuses the update', async () => {
    const statement = sql`
      UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL WHERE product_id = ${onSale.id}`;
    await expect(statement.execute(shop.deps.db)).rejects.toThrow('items_valid');
  });

  it('is released, and goes on sale when its deleted product is activated', async () => {
    const list = (await listToSignOff(shop.deps)).filter(({ product }) => product === deleted.name).map(({ id }) => id);
    expect(await releaseSignedOff(shop.deps, { itemIds: list, accepted: [] })).toMatchObject({ released: 2 });
    expect(await statesOf(shop, deleted)).toEqual(['quarantined', 'quarantined']);
    await admin.send('PUT', `/api/digital-products/${deleted.id}`, { isActive: true });
    expect(await statesOf(shop, deleted)).toEqual(['available', 'available']);
    const entry = shop.deps.db.selectFrom('audit_log').select('summary').where('action', '=', 'inventory.released');
    expect(await entry.orderBy('id', 'desc').limit(1).execute()).toEqual([
      { summary: 'Released 2 of 2 items that the restore had set aside; 0 were paid for since the backup' },
    ]);
  });

  it('has a counterpart in counted goods: their stock is set to 0 by a recorded change', async () => {
    const product = shop.deps.db.selectFrom('products').select('stock').where('id', '=', mug);
    expect(await product.executeTakeFirst()).toEqual({ stock: 0 });
    const change = shop.deps.db.selectFrom('stock_changes').select(['units', 'reason']).where('product_id', '=', mug);
    expect(await change.orderBy('id', 'desc').limit(1).execute()).toEqual([{ units: -4, reason: 'counted' }]);
    expect((await checkBooksOf(shop.deps)).faults).toEqual([]);
  });
});

it('a restore ends sessions, mailed links and order lookups, forgets devices, and sends no mail again', async () => {
  const { shop, backUp } = await startNew();
  const user = await makeUser(shop.deps);
  const { body } = await createShopper(shop.url).signIn(user.email, TEST_PASSWORD);
  await createShopper(shop.url).post('/api/auth/forgotpassword', { email: user.email });
  const lookups = createLookupDesk(shop);
  const bought = await lookups.buy('guest@example.com');
  const lookupId = await lookups.askFor('guest@example.com', bought.number);
  expect((await lookups.open(lookupId, await lookups.codeOf(lookupId))).status).toBe(200);
  const restored = await restore(await backUp(), shop);
  const { rows } = await sql<{ table: string }>`
    SELECT 'sessions' AS table FROM sessions WHERE revoked_at IS NULL
    UNION ALL SELECT 'links' FROM verifications WHERE expires_at > now()
    UNION ALL SELECT 'opened orders' FROM verifications WHERE purpose = 'order-lookup' AND used_at IS NOT NULL
    UNION ALL SELECT 'devices' FROM devices
    UNION ALL SELECT 'jobs' FROM jobs.job WHERE name = 'send-mail'`.execute(restored.deps.db);
  expect(rows).toEqual([]);
  const statuses = [shop, restored].map(async ({ url }) => {
    const buyer = createShopper(url);
    buyer.setToken(body.token);
    return (await buyer.get('/api/digital-orders/myorders')).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 401]);
});

it('a release is refused while a payment of a missing order names no items, unless the owner accepts it', async () => {
  const { shop, backUp } = await startNew();
  const product = await makeProduct(shop.deps, { items: 3 });
  const backup = await backUp();
  await buyOne(shop, product);
  // Payments as an earlier version of the shop made them.
  await sql`UPDATE test_mode_intents SET metadata = metadata - 'items' - 'items_1'`.execute(shop.deps.db);
  const restored = await restore(backup, shop);
  const [missing] = (await comparePayments(restored.deps)).missing;
  const itemIds = await idsOf(restored);
  await expect(releaseSignedOff(restored.deps, { itemIds, accepted: [] })).rejects.toThrow(missing?.intent.id);
  expect(await statesOf(restored, product)).toEqual(['voided', 'voided', 'voided']);
  const accepted = [missing?.intent.id ?? ''];
  expect(await releaseSignedOff(restored.deps, { itemIds: itemIds.slice(1), accepted })).toMatchObject({ released: 2 });
});

it('each payment whose order is missing raises an alert', async () => {
  const { shop, backUp } = await startNew();
  const product = await makeProduct(shop.deps, { items: 1 });
  const backup = await backUp();
  await buyOne(shop, product);
  const restored = await restore(backup, shop);
  restored.pass(2 * MINUTE_MS);
  await reconcilePayments(restored.deps);
  const alerts = restored.deps.db.selectFrom('alerts').select('kind');
  expect(await alerts.execute()).toEqual([{ kind: 'unknown-payment' }]);
});
