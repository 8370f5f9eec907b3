import { comparePayments, type RestoredPayments } from '../../src/server/features/recovery/check-held-back.ts';
import { secureRestored } from '../../src/server/features/recovery/secure-restored.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { transactionOn } from '../../src/server/platform/database/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { copyProvider } from '../provider-tables.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';
import { loadIntoNew, makeBackupFolder } from './backups.ts';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const settings = { MASTER_KEYS: `m1:${secret(7)}`, JWT_KEYS: `j1:${secret(8)}` };

/** Opens shops that are backed up, lost and restored while their provider goes on. */
export function openRestores() {
  const folder = makeBackupFolder();
  const open: TestShop[] = [];

  async function startOn(database: TestDatabase): Promise<TestShop> {
    const shop = await startTestShop({ database, settings });
    open.push(shop);
    return shop;
  }

  /** Stops the shops, each of which has a dozen connections that other tests need. */
  async function stopShops(): Promise<void> {
    for (const shop of open.splice(0)) await shop.stop();
  }

  return {
    stopShops,

    startNew: async () => {
      const database = await createTestDatabase();
      const shop = await startOn(database);
      return { shop, backUp: () => folder.backUp(database, shop.deps.config.masterKeys) };
    },

    /**
     * Starts the shop on a database as `npm run restore` leaves it, with the provider of the lost shop, which has lost
     * nothing. `found` is the comparison of the payments before the start.
     */
    restore: async ({ file, manifest }: Awaited<ReturnType<typeof folder.backUp>>, lost: TestShop) => {
      let found: RestoredPayments | undefined;
      const database = await loadIntoNew(file, async (client) => {
        const trx = transactionOn(client);
        const cipher = await openItemCipher(trx, lost.deps.config.masterKeys);
        await secureRestored({ cipher, clock: lost.deps.clock }, trx, manifest.takenAt);
        found = await comparePayments({ db: trx, payments: lost.deps.payments });
        await copyProvider(lost.deps.db, trx);
      });
      return { ...(await startOn(database)), found };
    },

    stopAll: async () => {
      await stopShops();
      await folder.remove();
    },
  };
}
