// npm run backup -- FILE: writes the whole database into a file, also while the shop sells; - writes to the standard
// output.

import { readConfig } from '../../src/server/config.ts';
import { storeBackup } from '../../src/server/platform/database/backup/backup-file.ts';
import { dumpDatabase } from '../../src/server/platform/database/backup/dump-database.ts';
import { readFileArgument } from './read-arguments.ts';
import { assertHasShop, runAndExit, withDatabaseServer } from './run-command.ts';

await runAndExit(async () => {
  const file = readFileArgument('backup -- FILE, or - for the standard output');
  const { masterKeys, ...config } = readConfig();
  const { manifest, rows } = await withDatabaseServer({ masterKeys, ...config }, async (connectionString) => {
    await assertHasShop(connectionString);
    return dumpDatabase(connectionString, masterKeys, (bytes) => storeBackup(file, bytes));
  });
  // Messages go to the standard error, because the standard output may be the backup.
  console.error(`Backed up ${rows} rows of ${manifest.tables.length} tables as of ${manifest.takenAt}.`);
  const keys = manifest.masterKeys.map(({ id, fingerprint }) => `"${id}" (${fingerprint})`).join(', ');
  console.error(
    `The backup contains no master key. Its secrets can be decrypted only with these: ${keys}. Store them apart from it.`,
  );
  return 0;
});
