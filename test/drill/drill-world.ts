import { sql } from 'kysely';
import { readConfig } from '../../src/server/config.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { makeProduct } from '../factories.ts';
import { openShop } from '../soak/supervised-shop.ts';
import { systemClock } from '../system-clock.ts';
import { openCluster } from './cluster.ts';
import { openDatabaseFront, openSite } from './front.ts';
import { answersOk, until } from './until.ts';

const PRODUCTS = 10;
const KEYS_EACH = 1_500;

export type DrillWorld = Awaited<ReturnType<typeof openDrillWorld>>;

/**
 * Starts what a company runs: a proxy, two processes of the shop, a pooler, a proxy that leads to the primary, three
 * database nodes. `onEnd` is called when a process of the shop ends by itself.
 */
export async function openDrillWorld(onEnd: (what: string) => void) {
  await using opened = new AsyncDisposableStack();
  const cluster = await openCluster();
  opened.defer(cluster.close);
  const front = await openDatabaseFront(cluster);
  opened.defer(front.close);
  await createDatabase(front.direct('postgres'), 'kedai');
  await migrate(front.direct('kedai'));
  const dataDir = cluster.folder;
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: front.pooler.connectionString,
    // Debian's PgBouncer cannot keep prepared statements.
    DATABASE_PREPARED: 'off',
    DATA_DIR: dataDir,
    DEMO: 'off',
    // HAProxy, and a proxy before it that names the buyer's IP address.
    TRUST_PROXY: '2',
    DRAIN_SECONDS: '4',
  };
  const db = openDatabase(front.direct('kedai'), { maxConnections: 4 });
  opened.defer(() => db.destroy());
  const deps = {
    db,
    cipher: await openItemCipher(db, readConfig(env).masterKeys),
    passwords: createPasswordHasher(),
    clock: systemClock,
  };
  const products = [];
  for (let n = 0; n < PRODUCTS; n += 1) products.push(await makeProduct(deps, { items: KEYS_EACH }));

  const shops = [await openShop('a', env, { dataDir, onEnd }), await openShop('b', env, { dataDir, onEnd })] as const;
  opened.defer(() => Promise.all(shops.map((shop) => shop.end('SIGKILL'))).then(() => undefined));
  await Promise.all(shops.map((shop) => shop.start()));
  const site = await openSite(
    cluster,
    shops.map(({ url }) => url),
  );
  opened.defer(site.close);
  await until('the shop behind its proxy', () => answersOk(`${site.url}/api/shop`));
  const parts = opened.move();
  return { cluster, db, env, front, onEnd, products, shops, site, close: () => parts.disposeAsync() };
}

export async function createDatabase(connectionString: string, name: string): Promise<void> {
  const db = openDatabase(connectionString, { maxConnections: 1 });
  await sql`CREATE DATABASE ${sql.id(name)}`.execute(db).finally(() => db.destroy());
}
