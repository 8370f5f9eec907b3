// npm run soak: mixed load on two processes of the shop with a fault every 20 seconds. SOAK_MINUTES, 10 unless said.

import { spawnSync } from 'node:child_process';
import { ensureInstalled } from './lib/install.mjs';

// node_modules/.bin comes first in the PATH of npm's scripts, so from here on `node` is the pinned one.
await ensureInstalled();
const { status } = spawnSync('node', ['test/soak/soak.ts'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
