import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeGoods, makeProduct } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { AdminAlert } from '../../../shared/admin.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { reconcilePayments } from '../checkout/reconcile-payments.ts';
import { cancelOrder } from '../checkout/settle-order.ts';
import { insertAlert } from './alerts.queries.ts';

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin' });
const { secret_key: secretKey } = await shop.deps.db
  .selectFrom('test_mode_account')
  .selectAll()
  .executeTakeFirstOrThrow();

async function atProvider(path: string, fields: Record<string, string> = {}) {
  const response = await fetch(`${shop.url}/test-mode/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams(fields),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { id: string; client_secret: string };
}

/** A captured payment with this metadata, which no order of the shop knows. */
async function payAtProvider(metadata: Record<string, string>): Promise<string> {
  const intent = await atProvider('payment_intents', {
    amount: '500',
    currency: 'usd',
    capture_method: 'manual',
    'allowed_payment_method_types[0]': 'card',
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value])),
  });
  await createShopper(shop.url).confirmCard(intent.client_secret);
  await atProvider(`payment_intents/${intent.id}/capture`);
  return intent.id;
}

async function shopId(): Promise<string> {
  const fact = shop.deps.db.selectFrom('shop_facts').select('value').where('name', '=', 'shop-id');
  return (await fact.executeTakeFirstOrThrow()).value;
}

/** Reconciles ten minutes later, the interval of the background job. */
async function reconcile(): Promise<void> {
  shop.pass(10 * MINUTE_MS);
  await reconcilePayments(shop.deps);
}
const alertsAbout = (subject: string) =>
  shop.logLines.filter((line) => line.includes('"alert"') && line.includes(subject));
async function open(): Promise<AdminAlert[]> {
  const { body } = await admin.get('/api/admin/alerts');
  return body.data as unknown as AdminAlert[];
}
const openAbout = async (subject: string) => (await open()).filter((alert) => alert.subject === subject);

test('an unknown payment raises one alert, which stays on the dashboard until it is acknowledged', async () => {
  const orderId = randomUUID();
  const intentId = await payAtProvider({ order_id: orderId, shop: await shopId() });
  for (let times = 0; times < 3; times += 1) await reconcile();
  expect(alertsAbout(intentId)).toHaveLength(1);
  const [alert] = await openAbout(intentId);
  expect(alert).toMatchObject({ kind: 'unknown-payment', orderId });

  const acknowledge = (body: object) => admin.post(`/api/admin/alerts/${alert?._id}/acknowledge`, body);
  expect((await acknowledge({})).status).toBe(400);
  expect((await acknowledge({ reason: 'Delivered by hand' })).status).toBe(200);
  expect((await acknowledge({ reason: 'Delivered by hand' })).status).toBe(404);
  const entry = await shop.deps.db
    .selectFrom('audit_log')
    .select(['action', 'summary'])
    .where('subject_id', '=', alert?._id ?? '')
    .execute();
  expect(entry).toEqual([
    { action: 'alert.acknowledged', summary: `Acknowledged unknown-payment of ${intentId}: Delivered by hand` },
  ]);
  await reconcile();
  expect([alertsAbout(intentId).length, await openAbout(intentId)]).toEqual([1, []]);
  const again = { kind: 'unknown-payment', subject: intentId, order_id: orderId } as const;
  expect(await insertAlert(shop.deps.db, again, shop.deps.clock.now())).toBe(false);
});

/** An unknown captured payment whose metadata names these items. */
async function payForItems(...ids: string[]): Promise<string> {
  const items = { items: String(ids.length), items_1: ids.join(' ') };
  return payAtProvider({ order_id: randomUUID(), shop: await shopId(), ...items });
}

const itemsOf = (productId: string) =>
  shop.deps.db
    .selectFrom('items')
    .select(['id', 'state', 'void_reason'])
    .where('product_id', '=', productId)
    .orderBy('state')
    .execute();

test('an unknown payment takes its items off sale once, but none that somebody else has bought', async () => {
  const product = await makeProduct(shop.deps, { items: 3 });
  await createShopper(shop.url).buy([{ product, quantity: 1 }], { email: 'later@example.com' });
  const [free = '', alsoFree, sold = ''] = (await itemsOf(product.id)).map(({ id }) => id);
  const intentId = await payForItems(free, sold, randomUUID());
  await reconcile();
  const voided = { state: 'voided', void_reason: `Paid by ${intentId}, whose order is missing` };
  expect(await itemsOf(product.id)).toEqual([
    { id: alsoFree, state: 'available', void_reason: null },
    { id: sold, state: 'sold', void_reason: null },
    { id: free, ...voided },
  ]);
  expect((await openAbout(intentId)).length).toBe(1);

  const path = `/api/digital-products/${product.id}/inventory/${free}`;
  expect((await admin.post(`${path}/restore`, { reason: 'Not read' })).status).toBe(200);
  await reconcile();
  expect((await itemsOf(product.id)).map(({ state }) => state)).toEqual(['available', 'available', 'sold']);
});

test('an unknown payment takes an item off sale also after another order has held it, or after its refund', async () => {
  const [held, refunded] = [await makeProduct(shop.deps, { items: 1 }), await makeProduct(shop.deps, { items: 1 })];
  const intentIds = [];
  for (const { id } of [held, refunded]) {
    const [item] = await itemsOf(id);
    intentIds.push(await payForItems(item?.id ?? ''));
  }
  await atProvider('refunds', { payment_intent: intentIds[1] ?? '' });
  shop.pass(10 * MINUTE_MS);
  const holder = await createShopper(shop.url).openPayment([{ product: held, quantity: 1 }], {
    email: 'h@example.com',
  });
  await reconcilePayments(shop.deps);
  const states = async () => [...(await itemsOf(held.id)), ...(await itemsOf(refunded.id))].map(({ state }) => state);
  expect(await states()).toEqual(['held', 'voided']);
  await cancelOrder(shop.deps, String(holder.body.orderId), 'abandoned');
  await reconcile();
  expect(await states()).toEqual(['voided', 'voided']);
});

test('the alert of an unknown payment ends with a full refund at the provider, and is not raised after one', async () => {
  const metadata = { order_id: randomUUID(), shop: await shopId() };
  const [raised, refunded] = [await payAtProvider(metadata), await payAtProvider(metadata)];
  await atProvider('refunds', { payment_intent: refunded });
  await reconcile();
  expect((await openAbout(raised)).length).toBe(1);
  expect(alertsAbout(refunded)).toEqual([]);
  await atProvider('refunds', { payment_intent: raised, amount: '499' });
  await reconcile();
  expect((await openAbout(raised)).length).toBe(1);
  await atProvider('refunds', { payment_intent: raised, amount: '1' });
  await reconcile();
  expect(await openAbout(raised)).toEqual([]);
});

test('the alert of an unknown payment is raised again when the bank sends back its refund', async () => {
  const intentId = await payAtProvider({ order_id: randomUUID(), shop: await shopId() });
  await reconcile();
  await atProvider('refunds', { payment_intent: intentId });
  await reconcile();
  expect(await openAbout(intentId)).toEqual([]);

  const provider = await openProviderDesk(shop.deps.db, shop.deps.clock);
  await provider.endRefund(intentId, { status: 'failed', reason: 'lost_or_stolen_card' });
  await reconcile();
  expect((await openAbout(intentId)).length).toBe(1);
});

test('an alert ends even behind fifty newer ones, and the dashboard counts the alerts that it does not list', async () => {
  const intentId = await payAtProvider({ order_id: randomUUID(), shop: await shopId() });
  await reconcile();
  expect((await openAbout(intentId)).length).toBe(1);
  shop.pass(MINUTE_MS);
  const before = await shop.deps.db.selectFrom('alerts').select('id').where('ended_at', 'is', null).execute();
  for (let n = 1; n <= 50; n += 1) {
    const alert = { kind: 'unknown-payment', subject: `pi_newer_${n}`, order_id: null } as const;
    await insertAlert(shop.deps.db, alert, shop.deps.clock.now());
  }
  const { body } = await admin.get('/api/admin/alerts');
  expect(body).toMatchObject({ more: before.length });
  expect((await openAbout(intentId)).length).toBe(0);

  await atProvider('refunds', { payment_intent: intentId });
  await reconcile();
  const about = shop.deps.db.selectFrom('alerts').select('ended_at').where('subject', '=', intentId);
  expect(await about.execute()).toEqual([{ ended_at: expect.any(Date) }]);
  await sql`UPDATE alerts SET ended_at = now() WHERE subject LIKE 'pi_newer_%'`.execute(shop.deps.db);
});

test('payments of other software on the same account raise no alert', async () => {
  const others = [
    await payAtProvider({}),
    await payAtProvider({ order_id: '1042' }),
    await payAtProvider({ order_id: randomUUID() }),
    await payAtProvider({ order_id: randomUUID(), shop: randomUUID() }),
  ];
  await reconcile();
  expect(others.flatMap(alertsAbout)).toEqual([]);
});

test('a payment from before the shop had an id is recognized by its order id', async () => {
  const intentId = await payAtProvider({ order_id: randomUUID() });
  const later = new Date(shop.deps.clock.now().getTime() + 60 * MINUTE_MS).toISOString();
  const since = sql`UPDATE shop_facts SET value = ${later} WHERE name = 'shop-id-since'`;
  await since.execute(shop.deps.db);
  await reconcile();
  expect(alertsAbout(intentId)).toHaveLength(1);
});

test('an alert about an unreadable item, file or shared content names the product', async () => {
  const { db } = shop.deps;
  const keys = await makeProduct(shop.deps, { name: 'Keys', items: 1 });
  const book = await makeGoods(shop.deps, 'file', 1);
  const shared = await makeGoods(shop.deps, 'shared', 1);
  const item = await db.selectFrom('items').select('id').where('product_id', '=', keys.id).executeTakeFirstOrThrow();
  const file = db.selectFrom('product_files').select('id').where('product_id', '=', book.id);
  const { id: fileId } = await file.executeTakeFirstOrThrow();
  const raise = (kind: 'unreadable-item' | 'unreadable-file', subject: string) =>
    insertAlert(db, { kind, subject, order_id: null }, shop.deps.clock.now());
  await raise('unreadable-item', item.id);
  await raise('unreadable-file', fileId);
  await raise('unreadable-item', shared.id);
  await raise('unreadable-item', 'no id');
  for (const [subject, product] of [
    [item.id, 'Keys'],
    [fileId, book.name],
    [shared.id, shared.name],
    ['no id', null],
  ] as const) {
    expect(await openAbout(subject)).toMatchObject([{ product }]);
  }
});
