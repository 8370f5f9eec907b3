// npm run migrate: brings the database up to date and ends, for a job that runs before the shops of a new version.

import { version } from '../../src/server/platform/version.ts';
import { runCommand } from './run-command.ts';

// Every command migrates first.
await runCommand(async () => {
  console.log(`The database has every migration of version ${version}.`);
  return 0;
});
