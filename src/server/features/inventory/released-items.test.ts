import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { startWhileLocked } from '../../../../test/locks.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { lockAndFindLastEntry } from '../admin/audit-log.ts';
import { finishDeletions } from './stock.queries.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });

it('an item released while the deletion of its product is being undone is on sale again', async () => {
  const { db } = shop.deps;
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);
  const product = await makeProduct(shop.deps);
  const path = `/api/digital-products/${product.id}`;
  const buyer = createShopper(shop.url);
  const { body } = await buyer.openPayment([{ product, quantity: 1 }], { email: 'gives-up@example.com' });
  expect((await admin.send('DELETE', path)).status).toBe(200);

  // The entry of the audit log is the last statement of the edit, which therefore waits with everything else written.
  const calls = [
    () => admin.send('PUT', path, { undoDelete: true, isActive: true }),
    () => buyer.post('/api/digital-orders/guest/checkout/abandon', { orderId: body.orderId, pageIsClosed: false }),
  ];
  const [undone, left] = await startWhileLocked(db, lockAndFindLastEntry, calls);
  expect([undone?.status, left?.status]).toEqual([200, 200]);
  const items = db.selectFrom('items').select('state').where('product_id', '=', product.id);
  expect(await items.execute()).toEqual([{ state: 'available' }]);
});

it('the deletion of 12,001 items keeps no buyer waiting, and is finished and undone after it was broken off', async () => {
  const { db } = shop.deps;
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);
  const product = await makeProduct(shop.deps, { items: 1 });
  const path = `/api/digital-products/${product.id}`;
  await sql`
    INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, added_at)
    SELECT uuidv7(), product_id, state, key_id, nonce, ciphertext, sha256((id || n::text)::bytea), added_at
    FROM items, generate_series(1, 12000) AS n WHERE product_id = ${product.id}`.execute(db);
  const countByState = async () => {
    const items = db.selectFrom('items').select('state').where('product_id', '=', product.id);
    const counts = await items
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .groupBy('state')
      .execute();
    return Object.fromEntries(counts.map(({ state, count }) => [state, Number(count)]));
  };

  const [deleted] = await startWhileLocked(
    db,
    (trx) => sql`SELECT FROM items WHERE product_id = ${product.id} ORDER BY id DESC LIMIT 1 FOR UPDATE`.execute(trx),
    [() => admin.send('DELETE', path)],
    async () => {
      const opened = await createShopper(shop.url).openPayment([{ product, quantity: 1 }], { email: 'a@example.com' });
      expect(opened).toMatchObject({ status: 409, body: { code: 'PRODUCT_UNAVAILABLE' } });
      expect(await countByState()).toEqual({ quarantined: 10_000, available: 2_001 });
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
    },
  );
  expect(deleted?.status).toBe(503);
  await finishDeletions(db);
  expect(await countByState()).toEqual({ quarantined: 12_001 });
  expect((await admin.send('PUT', path, { isActive: true })).body.data).toMatchObject({ stock: 12_001 });
});

it('the deletion of a product neither waits for that of another, which is being undone, nor finishes it', async () => {
  const { db } = shop.deps;
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);
  const [first, second] = [await makeProduct(shop.deps, { items: 2 }), await makeProduct(shop.deps, { items: 3 })];
  expect((await admin.send('DELETE', `/api/digital-products/${first.id}`)).status).toBe(200);
  const itemsOf = (id: string) => db.selectFrom('items').select('state').where('product_id', '=', id).execute();
  await db.updateTable('items').set({ state: 'available' }).where('product_id', '=', first.id).execute();
  await db.transaction().execute(async (trx) => {
    await sql`SELECT FROM products WHERE id = ${first.id} FOR UPDATE`.execute(trx);
    expect((await admin.send('DELETE', `/api/digital-products/${second.id}`)).status).toBe(200);
    await finishDeletions(db);
  });
  expect(await itemsOf(first.id)).toEqual([{ state: 'available' }, { state: 'available' }]);
  expect(await itemsOf(second.id)).toEqual(Array(3).fill({ state: 'quarantined' }));
  await finishDeletions(db);
  expect(await itemsOf(first.id)).toEqual([{ state: 'quarantined' }, { state: 'quarantined' }]);
});
