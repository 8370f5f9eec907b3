// npm run migrate: brings the database up to date and ends, for a job that runs before a new version of the shop
// starts.

import { readConfig } from '../../src/server/config.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { version } from '../../src/server/platform/version.ts';
import { readArguments } from './read-arguments.ts';
import { runAndExit, withDatabaseServer, withDeps } from './run-command.ts';

await runAndExit(async () => {
  readArguments('migrate', {});
  const config = readConfig();
  await withDatabaseServer(config, async (connectionString) => {
    await migrate(connectionString);
    // Fails here, and not at the start of the shop, when MASTER_KEYS lacks a key.
    await withDeps({ config, connectionString }, async () => undefined);
  });
  console.log(`The database has all migrations of version ${version}.`);
  return 0;
});
