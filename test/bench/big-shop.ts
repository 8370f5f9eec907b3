import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { readConfig } from '../../src/server/config.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { makeUser } from '../factories.ts';
import { bigShopSql, KEYS_PER_PRODUCT, PRODUCTS } from './big-shop-sql.ts';

const migrations = new URL('../../src/server/platform/database/migrations/', import.meta.url);

const BATCH = 10_000;

export const BIG_SHOP_ADMIN = 'admin@big.example';

/**
 * Opens a shop with 10,000 products, 1,000,000 keys, 1,000,000 orders and 200,000 users, in a folder that is kept for
 * the next time. Making it takes minutes: statements generate the rows, and only the keys are encrypted here, as in the
 * shop.
 */
export async function openBigShop(dataDir: string): Promise<EmbeddedServer> {
  const finished = join(dataDir, 'finished');
  const schema = fingerprintOfSchema();
  if (!existsSync(finished) || readFileSync(finished, 'utf8') !== schema) {
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    await makeBigShop(dataDir);
    writeFileSync(finished, schema);
  }
  const server = await startEmbeddedServer({ dataDir });
  await migrate(server.connectionString);
  return server;
}

/**
 * Returns a hash of the migrations and of the statements that fill the tables; a change of either makes the shop again.
 */
function fingerprintOfSchema(): string {
  const hash = createHash('sha256').update(JSON.stringify(bigShopSql));
  const files = readdirSync(migrations).filter((name) => name.endsWith('.sql'));
  for (const name of files.sort()) hash.update(readFileSync(new URL(name, migrations)));
  return hash.digest('hex');
}

async function makeBigShop(dataDir: string): Promise<void> {
  // After a crash of the machine, the shop is only made again.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    max_wal_size: '4GB',
    maintenance_work_mem: '512MB',
    statement_timeout: '0',
  };
  const server = await startEmbeddedServer({ dataDir, settings });
  try {
    await migrate(server.connectionString);
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    try {
      for (const { what, sql } of bigShopSql.goods) await timed(what, () => client.query(sql));
      await timed('keys', () => makeKeys(client, dataDir, server.connectionString));
      for (const { what, sql } of bigShopSql.trade) {
        // The next statement reads what this one wrote. Planned by older statistics, it can take an hour.
        await timed(what, () => client.query(`${sql}; ANALYZE`));
      }
      await timed('statistics of the planner', () => client.query('VACUUM ANALYZE'));
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
  }
}

async function makeKeys(client: pg.Client, dataDir: string, connectionString: string): Promise<void> {
  const db = openDatabase(connectionString);
  const { masterKeys } = readConfig({ DATABASE_URL: connectionString, DATA_DIR: dataDir });
  const cipher = await openItemCipher(db, masterKeys);
  await makeUser(
    { db, cipher, clock: { now: () => new Date() } },
    { email: BIG_SHOP_ADMIN, role: 'admin', name: 'Big Admin' },
  );
  await db.destroy();

  const { rows: products } = await client.query<{ id: string }>(
    "SELECT id FROM products WHERE kind = 'digital' ORDER BY id",
  );
  const keys = products.flatMap(({ id }) => Array.from({ length: KEYS_PER_PRODUCT }, () => id));
  for (let start = 0; start < keys.length; start += BATCH) {
    const items = keys.slice(start, start + BATCH).map((productId) => {
      const id = uuidv7();
      const content = `BIG-${id.toUpperCase()}`;
      return { id, productId, content, ...cipher.encrypt({ itemId: id, productId, content }) };
    });
    await client.query(
      `INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, added_at)
       SELECT id, product_id, 'available', key_id, nonce, ciphertext, hmac, now() - interval '400 days'
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[])
         AS item (id, product_id, key_id, nonce, ciphertext, hmac)`,
      [
        items.map(({ id }) => id),
        items.map(({ productId }) => productId),
        items.map(({ keyId }) => keyId),
        items.map(({ nonce }) => nonce),
        items.map(({ ciphertext }) => ciphertext),
        items.map(({ content }) => cipher.fingerprint(content)),
      ],
    );
  }
  console.log(`  ${PRODUCTS * KEYS_PER_PRODUCT} keys encrypted`);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  console.log(`  ${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
