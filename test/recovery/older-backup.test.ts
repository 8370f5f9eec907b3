import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { secureRestored } from '../../src/server/features/recovery/secure-restored.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { parseNamedKeys } from '../../src/server/platform/crypto/named-keys.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { transactionOn } from '../../src/server/platform/database/open-database.ts';
import { checkBooksOf } from '../books.ts';
import type { TestDatabase } from '../database.ts';
import { createOldDemo, old } from '../migrations/old-demo.ts';
import { systemClock } from '../system-clock.ts';
import { startTestShop } from '../test-shop.ts';
import { checksumsOf, loadIntoNew, makeBackupFolder } from './backups.ts';

const folder = makeBackupFolder();
const masterKeys = parseNamedKeys(old.keys);
let file: string;
let takenAt: string;
// Tables whose rows a migration creates with random ids or with its own time.
const MADE_WITH_RANDOM_IDS = ['parcels', 'parcel_lines', 'stock_changes', 'schema_migrations'];
/** The database of the earlier version, migrated as at the next start of this version. */
let upgraded: TestDatabase;
beforeAll(async () => {
  const { database, client } = await createOldDemo();
  await client.end();
  if (!masterKeys) throw new Error('The keys of the old demo cannot be read');
  const made = await folder.backUp(database, masterKeys);
  file = made.file;
  takenAt = made.manifest.takenAt;
  upgraded = database;
  await migrate(database.connectionString);
});
afterAll(async () => {
  await upgraded.drop();
  await folder.remove();
});

it('a backup of an older version restores to the same rows as an upgrade of its database', async () => {
  const restored = await loadIntoNew(file);
  const client = new pg.Client({ connectionString: upgraded.connectionString });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  await client.end();
  const tables = rows.map(({ name }) => name).filter((name) => !MADE_WITH_RANDOM_IDS.includes(name));
  expect(await checksumsOf(restored, tables)).toEqual(await checksumsOf(upgraded, tables));
  await restored.drop();
});

it('a shop restored from an older version is closed, with nothing on sale and no faults in its books', async () => {
  const restored = await loadIntoNew(file, async (client) => {
    const trx = transactionOn(client);
    const cipher = await openItemCipher(trx, masterKeys ?? [{ id: '', key: Buffer.alloc(0) }]);
    await secureRestored({ cipher, clock: systemClock }, trx, takenAt);
  });
  const shop = await startTestShop({
    database: restored,
    settings: { MASTER_KEYS: old.keys, JWT_KEYS: old.keys, DEMO: 'on' },
    backgroundWork: true,
  });
  const onSale = shop.deps.db.selectFrom('items').select('id').where('state', '=', 'available');
  expect(await onSale.execute()).toEqual([]);
  const closed = shop.deps.db.selectFrom('shop_closed').select('reason');
  expect(await closed.execute()).toEqual([{ reason: `Restored from the backup of ${takenAt}` }]);
  // A background loop issues the receipts of earlier sales.
  const faults = async () => (await checkBooksOf(shop.deps)).faults;
  await expect.poll(faults, { timeout: 120_000 }).toEqual([]);
  await shop.stop();
});
