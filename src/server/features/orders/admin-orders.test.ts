import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { CARDS, createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { makeDemoData } from '../../demo/make-demo-data.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { receivePaymentEvent } from '../checkout/reconcile-payments.ts';
import { countStockOnSale, lockItem } from '../inventory/inventory.queries.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
await makeDemoData({ ...shop.deps, testMode: true });
const desk = await openAdminOrders(shop);

/** An order of the demo that waits to be shipped, with the stock that is left of its product. */
async function parcel() {
  const { rows } = await sql<{ id: string; goods: string; quantity: number; stock: number }>`
    SELECT orders.id, product_id AS goods, quantity, stock FROM orders
      JOIN order_lines ON order_id = orders.id JOIN products ON products.id = product_id
    WHERE type = 'physical' AND state = 'fulfilled' AND delivered_at IS NOT NULL AND position = 1
      AND EXISTS (SELECT FROM parcels WHERE order_id = orders.id AND tracking_number LIKE 'DEMO-%')
      AND (SELECT count(*) FROM order_lines WHERE order_id = orders.id) = 1 LIMIT 1`.execute(shop.deps.db);
  const [row] = rows;
  if (!row) throw new Error('The demo has no parcel');
  await sql`DELETE FROM parcels WHERE order_id = ${row.id}`.execute(shop.deps.db);
  await sql`UPDATE orders SET shipped_at = NULL, delivered_at = NULL WHERE id = ${row.id}`.execute(shop.deps.db);
  return row;
}

const stockOf = async (product: string) =>
  (await shop.deps.db.selectFrom('products').select('stock').where('id', '=', product).executeTakeFirst())?.stock;

const mailsOf = async (orderId: string) => (await desk.page(orderId)).mails.map(({ kind }) => kind);
const change = (orderId: string, status: string, body: object = {}) => desk.act(orderId, 'status', { status, ...body });

describe('an administrator', () => {
  it('moves a parcel from Processing to Shipped to Delivered, with carrier and tracking number', async () => {
    const { id } = await parcel();
    expect(await desk.page(id)).toMatchObject({ status: 'Processing', allowed: ['Shipped', 'Cancelled'] });
    expect((await change(id, 'Shipped', { trackingNumber: 'T1' })).body).toMatchObject({ field: 'carrier' });
    expect((await change(id, 'Shipped', { carrier: 'Pos Laju', trackingNumber: '  ' })).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      field: 'trackingNumber',
    });
    const { page } = await change(id, 'Shipped', { carrier: 'Pos Laju', trackingNumber: 'EP1' });
    expect(page).toMatchObject({
      status: 'Shipped',
      parcels: [{ carrier: 'Pos Laju', trackingNumber: 'EP1', trackingUrl: expect.stringContaining('/EP1') }],
      allowed: ['Delivered'],
    });
    expect(await mailsOf(id)).toEqual(['order-shipped']);
    expect(page.timeline.find(({ kind }) => kind === 'shipped')?.text).toBe(
      `Shipped with Pos Laju, tracking number EP1 by ${desk.email}`,
    );
    const refused = await change(id, 'Cancelled');
    expect(refused).toMatchObject({ status: 409, body: { code: 'TRANSITION_REFUSED', allowed: ['Delivered'] } });
    expect((await change(id, 'Delivered')).page).toMatchObject({ status: 'Delivered', allowed: [] });
    expect((await change(id, 'Delivered')).body).toMatchObject({ code: 'TRANSITION_REFUSED', allowed: [] });
  });

  it('cancels a parcel, which refunds the whole price and restores the stock', async () => {
    const { id, goods, quantity, stock } = await parcel();
    const product = `/api/admin/products/${goods}`;
    const counted = (await desk.admin.get(product)).body.data;
    const { page } = await change(id, 'Cancelled', { reason: 'Out of cardboard' });
    expect(page).toMatchObject({ status: 'Cancelled', state: 'refunded', refundReason: 'Out of cardboard' });
    expect(page.refundedPrice).toBe(page.totalPrice);
    expect(await stockOf(goods)).toBe(stock + quantity);
    // An administrator who counted the stock before does not overwrite what came back to it.
    const recount = await desk.admin.send('PUT', product, { stock: stock + quantity, version: counted?.['version'] });
    expect([recount.body.code, await stockOf(goods)]).toEqual(['EDIT_CONFLICT', stock + quantity]);
    expect(await mailsOf(id)).toEqual(['order-refunded']);
  });

  it('refunds a shipped parcel without restoring the stock', async () => {
    const { id, goods, stock } = await parcel();
    await change(id, 'Shipped', { carrier: 'Pos Laju', trackingNumber: 'EP2' });
    expect((await desk.act(id, 'refund', { reason: 'Lost' })).page.state).toBe('refunded');
    expect(await stockOf(goods)).toBe(stock);
  });

  it('cancels an unpaid order of keys, which puts the keys back on sale', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const opened = await buyer.openPayment([{ product, quantity: 1 }], { email: 'unpaid@example.com' });
    const id = opened.body.orderId ?? '';
    expect((await desk.page(id)).allowed).toEqual(['Cancelled']);
    const { page } = await change(id, 'Cancelled', { reason: 'Looks like fraud' });
    expect(page).toMatchObject({ status: 'Cancelled', cancelReason: 'by-admin', isPaid: false });
    expect((await buyer.confirmCard(opened.body.clientSecret ?? '')).status).not.toBe(200);
    expect(await countStockOnSale(shop.deps.db, product.id)).toEqual({ available: 1, held: 0 });
  });

  it.each(['paid', 'unpaid'])(
    'cancels an order that is %s once with two calls that share an idempotency key',
    async (paid) => {
      const unpaid = async () => {
        const product = await makeProduct(shop.deps, { items: 1 });
        const guest = { email: 'cancelled-twice@example.com' };
        return (await createShopper(shop.url).openPayment([{ product, quantity: 1 }], guest)).body.orderId ?? '';
      };
      const id = paid === 'paid' ? (await parcel()).id : await unpaid();
      const cancel = { reason: 'Out of cardboard', draft: randomUUID() };
      for (const { status, page } of [await change(id, 'Cancelled', cancel), await change(id, 'Cancelled', cancel)]) {
        expect({ status, shown: page.status }).toEqual({ status: 200, shown: 'Cancelled' });
      }
      const written = shop.deps.db.selectFrom('audit_log').select('action').where('subject_id', '=', id);
      expect(await written.execute()).toEqual([{ action: 'order.cancelled' }]);
      expect((await change(id, 'Cancelled', { ...cancel, draft: randomUUID() })).status).toBe(
        paid === 'paid' ? 409 : 200,
      );
    },
  );

  it('is named with the reason on a cancelled unpaid order, even if the provider’s event arrives first', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const opened = await createShopper(shop.url).openPayment([{ product, quantity: 1 }], {
      email: 'early@example.com',
    });
    const id = opened.body.orderId ?? '';
    const { cancelIntent } = shop.deps.payments;
    vi.spyOn(shop.deps.payments, 'cancelIntent').mockImplementationOnce(async (input) => {
      const left = await cancelIntent(input);
      const event = { id: `evt_${id}`, type: 'payment_intent.canceled', paymentIntentId: input.intentId };
      await receivePaymentEvent(shop.deps, event);
      return left;
    });
    const { page } = await change(id, 'Cancelled', { reason: 'Looks like fraud' });
    expect(page).toMatchObject({ status: 'Cancelled', cancelReason: 'by-admin' });
    expect(page.timeline.find(({ kind }) => kind === 'cancelled')?.text).toBe(`Cancelled by ${desk.email}`);
    expect(await countStockOnSale(shop.deps.db, product.id)).toEqual({ available: 1, held: 0 });
  });

  it('cannot cancel an order whose card was authorised meanwhile; the order becomes Delivered', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const opened = await buyer.openPayment([{ product, quantity: 1 }], { email: 'just-paid@example.com' });
    const id = opened.body.orderId ?? '';
    await buyer.confirmCard(opened.body.clientSecret ?? '', CARDS.good);
    expect(await change(id, 'Cancelled')).toMatchObject({
      status: 409,
      body: { code: 'TRANSITION_REFUSED', allowed: [] },
    });
    expect((await desk.page(id)).status).toBe('Delivered');
  });
});

describe('a faulty key', () => {
  const replace = (orderId: string, item: string) => desk.act(orderId, 'replace-item', { item, reason: 'Revoked' });

  it('is replaced once under warranty and becomes burnt', async () => {
    const { orderId, keys, products } = await buyAsGuest(shop, { quantity: 2, items: 3, warranty_days: 30 });
    const before = await keys();
    const [faulty] = (await desk.page(orderId)).lines[0]?.items ?? [];
    expect(faulty).toMatchObject({ replaceable: true, viewed: true });
    const answers = await Promise.all([1, 2, 3].map(() => replace(orderId, faulty?._id ?? '')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('ITEM_NOT_AVAILABLE');

    const page = await desk.page(orderId);
    expect(page.lines[0]?.items.map(({ state }) => state)).toEqual(['burnt', 'sold', 'sold']);
    expect(page.timeline.find(({ kind }) => kind === 'replaced')?.text).toContain(desk.email);
    expect(await mailsOf(orderId)).toEqual(['order-delivered', 'item-replaced']);
    // The new item is in the place of the old one, and its buyer has not seen it.
    const [third] = products[0]?.keys.filter((key) => !before.includes(key)) ?? [];
    expect(await keys()).toEqual([third, before[1]]);
    expect((await replace(orderId, page.lines[0]?.items[1]?._id ?? '')).body.code).toBe('OUT_OF_STOCK');
    expect((await desk.page(orderId)).lines[0]?.items.map(({ state }) => state)).toEqual(['burnt', 'sold', 'sold']);
  });

  it('that nobody has read stays burnt when its order is refunded, so that it is not sold again', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1, items: 2, warranty_days: 30 });
    const [faulty] = (await desk.page(orderId)).lines[0]?.items ?? [];
    await replace(orderId, faulty?._id ?? '');
    expect((await desk.act(orderId, 'refund', { reason: 'Late' })).status).toBe(200);
    const items = (await desk.page(orderId)).lines[0]?.items ?? [];
    expect(items.map(({ state }) => state).sort()).toEqual(['burnt', 'quarantined']);
  });

  it('is replaced by an item that no concurrent order or replacement is taking', async () => {
    const { orderId, products } = await buyAsGuest(shop, { quantity: 1, items: 3, warranty_days: 30 });
    const [faulty] = (await desk.page(orderId)).lines[0]?.items ?? [];
    const inStock = { product_id: products[0]?.id ?? '', state: 'available' } as const;
    const next = await shop.deps.db.transaction().execute(async (trx) => {
      const items = trx
        .selectFrom('items')
        .select('id')
        .where((where) => where.and(inStock))
        .orderBy('id');
      const [first, second] = await items.execute();
      await lockItem(trx, first?.id ?? '');
      expect((await replace(orderId, faulty?._id ?? '')).status).toBe(200);
      return second?.id;
    });
    expect((await desk.page(orderId)).lines[0]?.items.find(({ state }) => state === 'sold')?._id).toBe(next);
  });

  it.each([
    ['nonce', { nonce: Buffer.alloc(12) }],
    ['key', { key_id: 'data-9' }],
  ])(
    'is replaced when an altered %s makes it unreadable, while the item beside it stays readable',
    async (_, alteration) => {
      const { orderId, buyer, keys } = await buyAsGuest(shop, { quantity: 2, items: 3, warranty_days: 30 });
      const altered = (await desk.page(orderId)).lines[0]?.items[0]?._id ?? '';
      await shop.deps.db.updateTable('items').set(alteration).where('id', '=', altered).execute();
      const [unreadable, other] = (await desk.page(orderId)).lines[0]?.items ?? [];
      expect(unreadable?.masked).toBe('Cannot be read');
      expect(other?.masked).not.toBe('Cannot be read');
      const seen = await buyer.get(`/api/digital-orders/${orderId}/items`);
      expect(seen.body.data?.items).toMatchObject([
        { items: [{ id: altered, content: null }, { content: expect.stringMatching(/^KEY-/) }] },
      ]);
      expect((await desk.page(orderId)).lines[0]?.items).toMatchObject([
        { _id: altered, viewed: false },
        { viewed: true },
      ]);
      expect((await replace(orderId, altered)).status).toBe(200);
      expect(await keys()).toHaveLength(2);
    },
  );

  it('is not replaced without a warranty, after its end or through another order', async () => {
    const [bare, covered] = [
      await buyAsGuest(shop, { quantity: 1, items: 2 }),
      await buyAsGuest(shop, { quantity: 1, items: 2, warranty_days: 7 }),
    ];
    const itemOf = async (orderId: string) => (await desk.page(orderId)).lines[0]?.items[0]?._id ?? '';
    const refused = { status: 409, body: { code: 'ITEM_NOT_AVAILABLE' } };
    expect(await replace(bare.orderId, await itemOf(bare.orderId))).toMatchObject(refused);
    expect(await replace(bare.orderId, await itemOf(covered.orderId))).toMatchObject(refused);
    expect(await replace(uuidv7(), await itemOf(covered.orderId))).toMatchObject({ status: 404 });
    await sql`UPDATE items SET delivered_at = ${new Date(Date.now() - 7 * DAY_MS)}
      WHERE id = ${await itemOf(covered.orderId)}`.execute(shop.deps.db);
    expect(await replace(covered.orderId, await itemOf(covered.orderId))).toMatchObject(refused);
  });
});

describe('an order’s mail', () => {
  it('is sent again with a new link, at most five times an hour', async () => {
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    for (let sent = 1; sent < 5; sent += 1) expect((await desk.act(orderId, 'resend-mail')).status).toBe(200);
    expect(await desk.act(orderId, 'resend-mail')).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(await mailsOf(orderId)).toEqual(Array(5).fill('order-delivered'));
    await desk.act(orderId, 'refund', { reason: 'Not wanted' });
    shop.pass(3_600_000);
    expect((await desk.act(orderId, 'resend-mail')).status).toBe(200);
    expect((await mailsOf(orderId)).at(-1)).toBe('order-refunded');
  });

  it('is not limited for longer than an hour after the clock was hours ahead', async () => {
    shop.pass(3 * HOUR_MS);
    const { orderId } = await buyAsGuest(shop, { quantity: 1 });
    for (let sent = 1; sent < 5; sent += 1) expect((await desk.act(orderId, 'resend-mail')).status).toBe(200);
    shop.pass(-3 * HOUR_MS);
    expect((await desk.act(orderId, 'resend-mail')).status).toBe(200);
  });

  it('is sent again once for a repeated request; another order needs its own idempotency key', async () => {
    const [order, other] = [await buyAsGuest(shop, { quantity: 1 }), await buyAsGuest(shop, { quantity: 1 })];
    const draft = uuidv7();
    const sent = () => desk.act(order.orderId, 'resend-mail', { draft });
    expect((await Promise.all([sent(), sent()])).map(({ status }) => status)).toEqual([200, 200]);
    expect((await sent()).status).toBe(200);
    expect(await mailsOf(order.orderId)).toEqual(Array(2).fill('order-delivered'));
    const refused = { status: 409, body: { code: 'TRANSITION_REFUSED', field: 'draft' } };
    expect(await desk.act(other.orderId, 'resend-mail', { draft })).toMatchObject(refused);
    expect(await mailsOf(other.orderId)).toEqual(['order-delivered']);
  });

  it('is sent again for only one of two orders whose concurrent requests share an idempotency key', async () => {
    const draft = uuidv7();
    const orders = [await buyAsGuest(shop, { quantity: 1 }), await buyAsGuest(shop, { quantity: 1 })];
    const calls = orders.map(
      ({ orderId }) =>
        () =>
          desk.act(orderId, 'resend-mail', { draft }),
    );
    const answers = await startWhileLocked<{ status: number }>(shop.deps.db, lockAndFindLastEntry, calls);
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  });
});

it('every order action is in the audit log, and only administrators may act', async () => {
  const { rows } = await sql<{ action: string }>`
    SELECT DISTINCT action FROM audit_log WHERE actor = ${desk.email} AND subject_type = 'order' ORDER BY action`.execute(
    shop.deps.db,
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'order.cancelled',
    'order.delivered',
    'order.item-replaced',
    'order.mail-resent',
    'order.refunded',
    'order.shipped',
  ]);
  const { email } = await makeUser(shop.deps);
  const customer = createShopper(shop.url);
  await customer.signIn(email, TEST_PASSWORD);
  expect((await customer.get(`/api/admin/orders/${uuidv7()}`)).status).toBe(403);
  expect((await customer.post(`/api/admin/orders/${uuidv7()}/refund`, { reason: 'Mine' })).status).toBe(403);
});
