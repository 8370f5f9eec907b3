import { openItemCipher } from '../src/server/platform/crypto/key-ring.ts';
import { createPasswordHasher } from '../src/server/platform/crypto/password-hasher.ts';
import { openDatabase } from '../src/server/platform/database/open-database.ts';
import { createTestDatabase } from './database.ts';

const masterKeys = [{ id: 'test', key: Buffer.alloc(32, 7) }] as const;
const passwords = createPasswordHasher();

/**
 * Opens a migrated, empty shop for the demo data. With the `cipher` of another shop, their fingerprints can be
 * compared.
 */
export async function openEmptyShop(now: Date, cipher?: Awaited<ReturnType<typeof openItemCipher>>) {
  const database = await createTestDatabase();
  const db = openDatabase(database.connectionString);
  return {
    db,
    cipher: cipher ?? (await openItemCipher(db, masterKeys)),
    passwords,
    clock: { now: () => now },
    testMode: true,
    close: async () => {
      await db.destroy();
      await database.drop();
    },
  };
}

export type EmptyShop = Awaited<ReturnType<typeof openEmptyShop>>;
