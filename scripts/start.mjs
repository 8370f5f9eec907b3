// npm start: installs and builds what changed, then runs the shop until it is told to stop.

import { ensureWebBuilt } from './lib/build-web.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runServer } from './lib/run-server.mjs';

await ensureInstalled();
await ensureWebBuilt();
process.exit(await runServer());
