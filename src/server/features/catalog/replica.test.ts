import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { startTestShop, type TestShop } from '../../../../test/test-shop.ts';
import type { Database } from '../../platform/database/database.ts';
import { startEmbeddedServer } from '../../platform/database/embedded/embedded-server.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase, openReplica } from '../../platform/database/open-database.ts';
import { storeRestoredBackup } from '../recovery/recovery.queries.ts';

let shop: TestShop;
let replica: TestDatabase;
let replicaDb: Database;
beforeEach(async () => {
  replica = await createTestDatabase();
  replicaDb = openDatabase(replica.connectionString);
  shop = await startTestShop({ settings: { DATABASE_READ_URL: replica.connectionString } });
});
afterEach(async () => {
  await shop.stop();
  await replicaDb.destroy();
  await replica.drop();
});

/** A product whose new price of $12 has not reached the replica, which still says $10. */
async function makeProductWithNewPrice() {
  const product = await makeProduct(shop.deps, { price_cents: 1_200 });
  await makeProduct({ ...shop.deps, db: replicaDb }, { id: product.id, name: product.name, price_cents: 1_000 });
  return product;
}

const pricesIn = (body: { data?: unknown }) => (body.data as { price: number }[]).map(({ price }) => price);

test('the catalogue is read from the replica; cart, payment and order use the primary', async () => {
  const product = await makeProductWithNewPrice();
  const shopper = createShopper(shop.url);
  expect(pricesIn((await shopper.get('/api/digital-products')).body)).toEqual([10]);
  expect((await shopper.get(`/api/digital-products/${product.id}`)).body.data).toMatchObject({ price: 10 });
  expect(pricesIn((await shopper.get(`/api/digital-products?ids=${product.id}`)).body)).toEqual([12]);

  const placed = await (await shopper.authorise([{ product, quantity: 1 }], { email: 'guest@example.com' })).place();
  expect(placed.status).toBe(201);
  const orders = await shop.deps.db.selectFrom('orders').select('total_cents').execute();
  expect(orders).toEqual([{ total_cents: 1_272 }]);
  expect(await replicaDb.selectFrom('orders').selectAll().execute()).toEqual([]);
});

test('without its replica the shop has no catalogue, but still sells', async () => {
  const product = await makeProductWithNewPrice();
  await replica.drop();
  const shopper = createShopper(shop.url);
  expect((await shopper.get('/api/digital-products')).status).toBe(503);
  expect(shop.logLines.join('')).toContain('DATABASE_READ_URL cannot be used: database ');
  const placed = await (await shopper.authorise([{ product, quantity: 1 }], { email: 'guest@example.com' })).place();
  expect(placed.status).toBe(201);
});

test('without its replica the shop refuses a report, instead of sending a file without sales', async () => {
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop.deps, { role: 'admin' })).email, TEST_PASSWORD);
  await replica.drop();
  const { status, headers } = await admin.get('/api/admin/reports/tax');
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    503,
    'application/json; charset=utf-8',
    null,
  ]);
});

test('a replica from before a restore is not used until it follows the primary', async () => {
  await makeProductWithNewPrice();
  const restore = { name: 'restored-backup-of', value: '2026-11-23T03:30:00Z' };
  await replicaDb.insertInto('shop_facts').values(restore).execute();
  const shopper = createShopper(shop.url);
  expect((await shopper.get('/api/digital-products')).status).toBe(503);
  expect(shop.logLines.join('')).toContain(
    'DATABASE_READ_URL cannot be used: it leads to a replica of another database',
  );

  await replicaDb.deleteFrom('shop_facts').where('name', '=', restore.name).execute();
  expect(pricesIn((await shopper.get('/api/digital-products')).body)).toEqual([10]);
});

test('a replica of another restore of the same backup is not used', async () => {
  for (const db of [shop.deps.db, replicaDb]) {
    await db.transaction().execute((trx) => storeRestoredBackup(trx, '2026-11-23T03:30:00Z', new Date()));
  }
  const restored = await openReplica(replica.connectionString, shop.deps.db, {});
  await expect(restored.selectFrom('products').selectAll().execute()).rejects.toThrow('a replica of another database');
  await restored.destroy();
});

test('a replica is used until it is promoted, and no server that follows no primary, except the primary', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-replica-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [dataDir, copyDir] = [join(folder, 'primary'), join(folder, 'replica')];
  const start = async (dir: string) => {
    const server = await startEmbeddedServer({ dataDir: dir, settings: { fsync: 'off' } });
    onTestFinished(() => server.stop());
    return server;
  };
  const made = await start(dataDir);
  await migrate(made.connectionString);
  await made.stop();
  // Keeps the owner, which is another user than root.
  execFileSync('cp', ['-a', dataDir, copyDir]);
  execFileSync('cp', ['-a', `${copyDir}/postgres/PG_VERSION`, `${copyDir}/postgres/standby.signal`]);
  const [primary, standby] = [await start(dataDir), await start(copyDir)];
  const db = openDatabase(primary.connectionString);
  const read = await openReplica(standby.connectionString, db, { maxConnections: 1, lifetimeSeconds: 1 });
  const primaryAgain = await openReplica(primary.connectionString, db, {});
  onTestFinished(async () => void (await Promise.all([db.destroy(), read.destroy(), primaryAgain.destroy()])));
  const countProducts = (from: Database) => from.selectFrom('products').selectAll().execute();
  expect([await countProducts(read), await countProducts(primaryAgain)]).toEqual([[], []]);
  await sql`SELECT pg_promote()`.execute(read);
  await vi.waitFor(() => expect(countProducts(read)).rejects.toThrow('a server that is no replica'), 30_000);
});
