import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/server/config.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { startSilentDatabaseProxy } from '../silent-proxy.ts';
import { systemClock } from '../system-clock.ts';
import { openShop, type SupervisedShop } from './supervised-shop.ts';

const PRODUCTS = 12;
const KEYS_EACH = 400;

export type SoakWorld = Awaited<ReturnType<typeof openSoakWorld>>;

/**
 * Starts a PostgreSQL behind a proxy, two processes of the shop on it, and creates what they sell. `onEnd` is called
 * when a process ends by itself.
 */
export async function openSoakWorld(onEnd: (what: string) => void) {
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-soak-'));
  const server = await startEmbeddedServer({ dataDir });
  const proxy = await startSilentDatabaseProxy(server.connectionString);
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: proxy.connectionString,
    DATA_DIR: dataDir,
    DEMO: 'off',
    // Each shopper has an IP address of their own.
    TRUST_PROXY: '1',
    DRAIN_SECONDS: '1',
  };
  await migrate(server.connectionString);
  const db = openDatabase(server.connectionString, { maxConnections: 6 });
  const { masterKeys } = readConfig(env);
  const deps = { db, cipher: await openItemCipher(db, masterKeys), clock: systemClock };
  const products: MadeProduct[] = [];
  for (let n = 0; n < PRODUCTS; n += 1) {
    const offer = n % 4 === 0 ? { flash_price_cents: 700, flash_units_limit: 200 } : {};
    const product = await makeProduct(deps, { items: KEYS_EACH, warranty_days: 30, ...offer });
    products.push({ ...product, price: n % 4 === 0 ? 7 : product.price });
  }
  const customers = [];
  // With the cost of a real password's hash.
  const password_hash = await createPasswordHasher().hash(TEST_PASSWORD);
  for (let n = 0; n < 8; n += 1) customers.push(await makeUser(deps, { password_hash }));
  const admin = await makeUser(deps, { role: 'admin', password_hash });

  const shops: SupervisedShop[] = [];
  for (const name of ['a', 'b', 'skewed']) shops.push(await openShop(name, env, { dataDir, onEnd }));
  const [first, second, skewed] = shops as [SupervisedShop, SupervisedShop, SupervisedShop];
  await Promise.all([first.start(), second.start()]);

  return {
    db,
    env,
    proxy,
    products,
    customers,
    admin,
    shops: [first, second],
    skewed,
    postmasterPid: () => Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10),
    close: async () => {
      await Promise.all(shops.map((shop) => shop.child && shop.end('SIGKILL')));
      await db.destroy();
      await proxy[Symbol.asyncDispose]();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
