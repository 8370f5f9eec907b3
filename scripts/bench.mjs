import { spawnSync } from 'node:child_process';
import { ensureInstalled } from './lib/install.mjs';

// node_modules/.bin comes first in the PATH of npm's scripts, so from here on `node` is the pinned one.
await ensureInstalled();
const { status } = spawnSync('node', ['test/bench/bench.ts'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
