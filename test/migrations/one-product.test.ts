import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { type RunningShop, startShop } from '../../src/server/start-shop.ts';
import { checkBooksOf } from '../books.ts';
import type { TestDatabase } from '../database.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { createOldDemo, old, oldRows, type Row } from './old-demo.ts';

// Fields that later migrations changed: the carrier is the parcel's since 0020_counted_goods.sql, and the rating counts
// only stored reviews since 0026_reviews.sql.
const CHANGED_SINCE = /^(carrier|tracking_?number|rating|numReviews)$/i;
/** Words of an order's page that were changed later. */
const REWORDED = new Map([['Keys delivered', 'Digital items delivered']]);

const withoutLaterChanges = (row: Row): Row =>
  JSON.parse(
    JSON.stringify(row, (name, value) => (CHANGED_SINCE.test(name) ? undefined : (REWORDED.get(value) ?? value))),
  );

describe('a shop migrated from one table for each kind of product', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-old-demo-'));
  let database: TestDatabase;
  let client: pg.Client;
  let shop: RunningShop;
  const browsers = {} as Record<'admin' | 'customer', Shopper>;

  beforeAll(async () => {
    ({ database, client } = await createOldDemo());
    const config = readConfig({
      ...{ DATABASE_URL: database.connectionString, DATA_DIR: dataDir, RATE_LIMITS: 'off' },
      ...{ MASTER_KEYS: old.keys, JWT_KEYS: old.keys, DEMO: 'on' },
    });
    const clock = { now: () => new Date(old.now) };
    shop = await startShop({ ...config, port: 0 }, { replace: { clock, log: pino({ level: 'silent' }) } });
    for (const [by, label] of [
      ['admin', 'Administrator'],
      ['customer', 'Customer'],
    ] as const) {
      const account = demoAccounts.find((one) => one.label === label);
      browsers[by] = createShopper(shop.url);
      await browsers[by].signIn(account?.email ?? '', account?.password ?? '');
    }
  });
  afterAll(async () => {
    await client.end();
    await shop.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it.each(old.answers.map(({ by, path, body }) => [by, path, body] as const))(
    'answers the %s at %s as before',
    async (by, path, body) => {
      const answer = await browsers[by].get(path);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject(withoutLaterChanges(body));
    },
  );

  it('has every product with its values in one table', async () => {
    const { rows } = await client.query<{ row: Row & { id: string } }>(
      'SELECT to_jsonb(products) AS row FROM products',
    );
    const found = new Map(rows.map(({ row }) => [row.id, row]));
    expect(found.size).toBe(oldRows('products').length + oldRows('physical_products').length);
    for (const [table, kind] of [
      ['products', 'digital'],
      ['physical_products', 'physical'],
    ] as const) {
      // 0026_reviews.sql removes the figures of reviews that were never stored.
      for (const { rating_tenths, review_count, ...row } of oldRows(table))
        expect(found.get(String(row['id']))).toMatchObject({ ...row, kind, rating_tenths: 0, review_count: 0 });
    }
  });

  it('has every order line with its product', async () => {
    const { rows } = await client.query<{ row: Row & { id: string } }>(
      'SELECT to_jsonb(order_lines) AS row FROM order_lines',
    );
    const found = new Map(rows.map(({ row }) => [row.id, row]));
    const lines = oldRows('order_lines');
    expect(found.size).toBe(lines.length);
    for (const { physical_product_id: physical, product_id: digital, ...line } of lines) {
      const product_id = digital ?? physical;
      expect(found.get(String(line['id']))).toMatchObject({ ...line, product_id });
    }
  });

  it('has a parcel for each shipped order', async () => {
    const { rows } = await client.query<{ row: Row }>('SELECT to_jsonb(parcels) AS row FROM parcels');
    const shipped = oldRows('orders').filter((order) => order['shipped_at'] !== null);
    expect(shipped.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(shipped.length);
    for (const { id: order_id, carrier, tracking_number, shipped_at, delivered_at } of shipped) {
      const parcel = { order_id, number: 1, carrier, tracking_number, shipped_at, delivered_at };
      expect(rows.map(({ row }) => row)).toContainEqual(expect.objectContaining(parcel));
    }
  });

  it.each(['orders', 'items', 'users', 'refunds', 'cart_entries', 'reveals', 'audit_log', 'images'])(
    'has every row of %s',
    async (table) => {
      const { rows } = await client.query<{ row: Row }>(`SELECT to_jsonb(${table}) AS row FROM ${table}`);
      const old = oldRows(table).map(withoutLaterChanges);
      const columns = Object.keys(old[0] ?? {});
      // Later migrations add columns.
      const texts = new Set(rows.map(({ row }) => JSON.stringify(row, columns)));
      for (const row of old) expect(texts).toContain(JSON.stringify(row, columns));
    },
  );

  it('enforces the check constraints on the migrated products', async () => {
    const { rows } = await client.query('SELECT conname FROM pg_constraint WHERE NOT convalidated');
    expect(rows).toEqual([]);
    for (const wrong of ["kind = 'digital'", 'stock = -1', 'brand = NULL', 'rating_tenths = 51']) {
      await expect(client.query(`UPDATE products SET ${wrong} WHERE kind = 'physical'`)).rejects.toMatchObject({
        code: '23514',
      });
    }
  });

  it('passes the check of its books', async () => {
    // A background loop issues the receipts of earlier sales.
    const faults = async () => (await checkBooksOf(shop.deps)).faults;
    await expect.poll(faults, { timeout: 30_000 }).toEqual([]);
  });

  it('accepts an edit of a product and opens a payment', async () => {
    const { admin, customer } = browsers;
    const [physical] = oldRows('physical_products');
    const changed = await admin.send('PUT', `/api/admin/products/${String(physical?.['id'])}`, {
      flashSale: { price: 1 },
      version: physical?.['version'],
    });
    expect(changed.body.data).toMatchObject({ effectivePrice: 1, version: Number(physical?.['version']) + 1 });
    const { body } = await customer.get('/api/users/cart');
    const [entry] = body.data as unknown as { product: { _id: string; name: string; effectivePrice: number } }[];
    if (!entry) throw new Error('The cart is empty');
    const { _id: id, name, effectivePrice: price } = entry.product;
    expect((await customer.openPayment([{ product: { id, name, price }, quantity: 1 }])).status).toBe(200);
  });
});

it('the migration rewrites no items, even with 20,000 of them', async () => {
  const { database, client } = await createOldDemo();
  await client.query(`
    INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, added_at)
    SELECT gen_random_uuid(), (SELECT id FROM products LIMIT 1), 'available', 'k', '123456789012', '', int8send(n), now()
    FROM generate_series(1, 20000) AS n`);
  // Returns the table's file, and the number of its rows by the transaction that wrote them.
  const written = async () =>
    (
      await client.query(`
        SELECT pg_relation_filenode('items') AS file, xmin::text AS by, count(*)::integer AS rows
        FROM items GROUP BY xmin ORDER BY 2`)
    ).rows;
  const untouched = await written();
  const start = Date.now();
  await migrate(database.connectionString);
  expect(Date.now() - start).toBeLessThan(60_000);
  expect(await written()).toEqual(untouched);
  await client.end();
  await database.drop();
});
