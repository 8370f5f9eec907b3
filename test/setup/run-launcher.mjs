// Only the last step of npm start: nothing is installed or built.

import { runServer } from '../../scripts/lib/run-server.mjs';

// The test run was interrupted.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

process.exit(await runServer());
