// npm run migrate: brings the database up to date and ends, for a job that runs before a new version of the shop
// starts.

import { version } from '../../src/server/platform/version.ts';
import { runCommand } from './run-command.ts';

// Every command migrates first.
await runCommand(async () => {
  console.log(`The database has every migration of version ${version}.`);
  return 0;
});
