// The last step of npm start alone: nothing is installed or built.

import { runServer } from '../../scripts/lib/run-server.mjs';

process.exit(await runServer());
