import { spawnSync } from 'node:child_process';
import { ensureInstalled } from './lib/install.mjs';

// node_modules/.bin comes first in the PATH of npm's scripts, so from here on `node` is the pinned one.
await ensureInstalled();
const benches = { shop: 'test/bench/bench.ts', admin: 'test/bench/admin-bench.ts' };
const { status } = spawnSync('node', [benches[process.argv[2] ?? 'shop']], { stdio: 'inherit' });
process.exitCode = status ?? 1;
