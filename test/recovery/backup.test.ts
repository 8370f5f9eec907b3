import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReceiptFaults } from '../../src/server/features/books/books.queries.ts';
import { checkBooks } from '../../src/server/features/books/check-books.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { issueReceipts } from '../../src/server/features/receipts/issue-receipts.ts';
import { openBackup, storeBackup } from '../../src/server/platform/database/backup/backup-file.ts';
import { dumpDatabase } from '../../src/server/platform/database/backup/dump-database.ts';
import { loadDatabase } from '../../src/server/platform/database/backup/load-database.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../database.ts';
import { makeProduct } from '../factories.ts';
import { buyAsGuest } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { startTestShop } from '../test-shop.ts';
import { checksumsOf, loadIntoNew, makeBackupFolder } from './backups.ts';

const folder = makeBackupFolder();
const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const settings = { MASTER_KEYS: `m1:${secret(7)}`, JWT_KEYS: `j1:${secret(8)}` };
const masterKeys = [{ id: 'm1', key: Buffer.alloc(32, 7) }] as const;
/** The database of a demo that has sold a little and was stopped. */
let database: TestDatabase;
let file: string;
let tables: string[];
beforeAll(async () => {
  database = await createTestDatabase();
  const kept = { ...database, drop: async () => undefined };
  const shop = await startTestShop({ database: kept, settings: { ...settings, DEMO: 'on' } });
  for (let n = 0; n < 3; n += 1) await (await buyAsGuest(shop, { quantity: 2 })).keys();
  await shop.stop();
  const made = await folder.backUp(database, masterKeys);
  file = made.file;
  tables = made.manifest.tables.map(({ name }) => name);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

const loadInto = async (target: TestDatabase, path = file) =>
  loadDatabase(target.connectionString, await openBackup(path), async () => undefined);

/** Returns a copy of the backup with changed content before compression, so that gzip's own checksum is right. */
function changed(name: string, change: (content: Buffer) => Buffer): string {
  const path = folder.path(name);
  writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file)))));
  return path;
}

describe('a loaded backup', () => {
  it('has every row of every table except the rate-limit counters, and continues the sequences', async () => {
    const copy = await loadIntoNew(file);
    expect(await checksumsOf(copy, tables)).toEqual(await checksumsOf(database, tables));
    const again = await startTestShop({ database: copy, settings });
    const all = await sql<{ name: string }>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`.execute(
      again.deps.db,
    );
    const missing = all.rows.map(({ name }) => name).filter((name) => !tables.includes(name));
    expect(missing.toSorted()).toEqual(['rate_counts', 'rate_waits', 'schema_migrations']);
    while (await issueReceipts(again.deps));
    expect((await checkBooks(again.deps)).faults).toEqual([]);
    await (await buyAsGuest(again, { quantity: 1 })).keys();
    await again.stop();
  });

  it('lacks receipts only once a process of the shop has started', async () => {
    const copy = await loadIntoNew(file);
    const db = openDatabase(copy.connectionString);
    expect(await listReceiptFaults(db)).toEqual([]);
    const again = await startTestShop({ database: copy, settings });
    expect(await listReceiptFaults(db)).not.toEqual([]);
    await db.destroy();
    await again.stop();
  });

  it('loads into a database that has only the migrations applied', async () => {
    const migrated = await createEmptyDatabase();
    await migrate(migrated.connectionString);
    await loadInto(migrated);
    expect(await checksumsOf(migrated, tables)).toEqual(await checksumsOf(database, tables));
    await migrated.drop();
  });

  it('is a consistent snapshot of a shop that keeps selling, and does not block its buyers', async () => {
    const selling = await createTestDatabase();
    const shop = await startTestShop({ database: selling, settings });
    const product = await makeProduct(shop.deps, { items: 500 });
    const sales = new EventEmitter();
    const sold: string[] = [];
    let isOver = false;
    const buying = Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        for (let m = 0; !isOver; m += 1) {
          const guest = { email: `load-${n}-${m}@example.com` };
          sold.push((await createShopper(shop.url).buy([{ product, quantity: 1 }], guest)).orderId);
          sales.emit('sale');
        }
      }),
    );
    await Promise.race([once(sales, 'sale'), buying]);
    const before = [...sold];
    let blocks = 0;
    const path = folder.path('selling');
    await dumpDatabase(selling.connectionString, masterKeys, async (bytes) => {
      const betweenSales = async function* () {
        for await (const block of bytes) {
          yield block;
          blocks += 1;
          if (blocks % 40 === 1) await Promise.race([once(sales, 'sale'), buying]);
        }
      };
      await storeBackup(path, betweenSales());
    });
    const during = sold.length - before.length;
    isOver = true;
    await buying;
    expect(during).toBeGreaterThan(2);
    const copy = await loadIntoNew(path);
    const again = await startTestShop({ database: copy, settings });
    // The backup was taken in the middle of some sales, which the sweeper finishes.
    again.pass(60_000);
    while (await sweepOrders(again.deps));
    expect((await checkBooks(again.deps)).faults).toEqual([]);
    const found = await again.deps.db.selectFrom('orders').select('id').where('id', 'in', before).execute();
    expect(found).toHaveLength(before.length);
    await again.stop();
    await shop.stop();
  });
});

it('a running backup blocks a migration, but not the start of a process without pending migrations', async () => {
  const { connectionString } = database;
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    let copied = 0;
    await dumpDatabase(connectionString, masterKeys, async (bytes) => {
      for await (const _ of bytes) {
        copied += 1;
        if (copied > 1) continue;
        await client.query("SET lock_timeout = '200ms'");
        for (const table of [tables.at(0), tables.at(-1)]) {
          const change = client.query(`ALTER TABLE ${table} ADD COLUMN added integer`);
          await expect(change).rejects.toMatchObject({ code: '55P03' });
        }
        await migrate(connectionString);
      }
    });
    expect(copied).toBeGreaterThan(1);
  } finally {
    await client.end();
  }
});

describe('a load is refused, with no change to the database, for', () => {
  const cut = (length: number) => (content: Buffer) => content.subarray(0, content.length - length);
  const swapped = (from: string, to: string) => (content: Buffer) => {
    const at = content.indexOf(from);
    expect(at).toBeGreaterThan(0);
    return Buffer.concat([content.subarray(0, at), Buffer.from(to), content.subarray(at + from.length)]);
  };

  it.each([
    [
      'a truncated file',
      () => {
        const path = folder.path('truncated');
        writeFileSync(path, readFileSync(file).subarray(0, -2_000));
        return path;
      },
      /is not whole/,
    ],
    [
      'a file with a changed bit',
      () => {
        const path = folder.path('bit');
        const bytes = readFileSync(file);
        const at = Math.floor(bytes.length / 2);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        writeFileSync(path, bytes);
        return path;
      },
      /was changed/,
    ],
    [
      'content with another price',
      () => changed('price', swapped('\tfulfilled\t', '\tcancelled\t')),
      /changed|does not fit/,
    ],
    ['content without its seal', () => changed('seal', cut(200)), /is not whole|was changed/],
    [
      'a file of another kind',
      () => {
        const path = folder.path('other');
        writeFileSync(path, gzipSync('{"a":1}\n'));
        return path;
      },
      /is not one/,
    ],
    ['a missing file', () => folder.path('missing'), /cannot be read/],
    [
      'a backup of a later version',
      () => changed('later', swapped('0001_shop.sql', '9999_shop.sql')),
      /which this version does not know/,
    ],
  ])('%s', async (_what, path, message) => {
    const empty = await createEmptyDatabase();
    await expect((async () => loadInto(empty, path()))()).rejects.toThrow(message);
    // The database is still empty.
    await loadInto(empty);
    await empty.drop();
  });

  it('a database that already has rows', async () => {
    const before = await checksumsOf(database, tables);
    await expect(loadInto(database)).rejects.toThrow(/is not empty/);
    expect(await checksumsOf(database, tables)).toEqual(before);
  });
});

it('a backup that fails halfway leaves no file behind', async () => {
  const path = folder.path('failed');
  async function* failing() {
    yield Buffer.from('{}');
    throw new Error('The connection is lost');
  }
  await expect(storeBackup(path, failing())).rejects.toThrow('The connection is lost');
  expect(readdirSync(dirname(path)).filter((name) => name.startsWith('failed'))).toEqual([]);
});
