// npm run build: installs and builds what changed, for a shop that a service manager or a container starts.

import { ensureWebBuilt } from './lib/build-web.mjs';
import { ensureInstalled } from './lib/install.mjs';

await ensureInstalled();
await ensureWebBuilt();
