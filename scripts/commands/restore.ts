// npm run restore -- FILE: loads a backup into an empty database, closes the shop and sets its unsold items aside.

import { readConfig } from '../../src/server/config.ts';
import { type Secured, secureRestored } from '../../src/server/features/recovery/secure-restored.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { openBackup } from '../../src/server/platform/database/backup/backup-file.ts';
import { assertMasterKeys, loadDatabase } from '../../src/server/platform/database/backup/load-database.ts';
import { transactionOn } from '../../src/server/platform/database/open-database.ts';
import { AppError } from '../../src/shared/errors.ts';
import { openPayments } from './open-payments.ts';
import { printComparison } from './print-comparison.ts';
import { readFileArgument } from './read-arguments.ts';
import { runAndExit, withDatabaseServer, withDeps } from './run-command.ts';

await runAndExit(async () => {
  const file = readFileArgument('restore -- FILE');
  const config = readConfig();
  const backup = await openBackup(file);
  const { takenAt, shopVersion } = backup.manifest;
  assertMasterKeys(backup.manifest, config.masterKeys);
  return withDatabaseServer(config, async (connectionString) => {
    let secured: Secured = { items: 0, shelves: [], orders: 0, unsentMails: 0, administrators: [] };
    await loadDatabase(connectionString, backup, async (client) => {
      const trx = transactionOn(client);
      const cipher = await openItemCipher(trx, config.masterKeys);
      const now = (await client.query<{ now: Date }>('SELECT now()')).rows[0]?.now ?? new Date();
      secured = await secureRestored({ cipher, clock: { now: () => now } }, trx, takenAt);
    });
    console.log(`Restored the backup of ${takenAt}, made by version ${shopVersion}.`);
    printSecured(secured);
    await withDeps({ config, connectionString }, async (deps) =>
      printComparison({ ...deps, payments: await openPayments(deps) }),
    ).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      console.log('The payment provider did not answer. When it does, run npm run reconcile.');
    });
    return 0;
  });
});

function printSecured({ items, shelves, orders, unsentMails, administrators }: Secured): void {
  console.log('The shop is closed. All sessions and mailed links have ended, and all devices are forgotten.');
  console.log(`${items} items that were on sale are set aside, because some may have been sold since.`);
  console.log(`${orders} orders are held back until the shop has read their payments from the provider.`);
  if (shelves.length > 0) {
    console.log('Counted goods have a stock of 0. Count them, and enter the stock. The backup has:');
    for (const { name, units } of shelves) console.log(`  ${units} of ${name}`);
  }
  if (unsentMails > 0)
    console.log(`${unsentMails} mails were still unsent when the backup was taken. They are not sent now.`);
  console.log(
    'These accounts are administrators. Before you open the shop, remove the role from people who have lost it since:',
  );
  for (const email of administrators) console.log(`  ${email}`);
}
