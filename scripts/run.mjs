// Runs a TypeScript file of the repository with the packages installed: node scripts/run.mjs FILE [ARGUMENTS].

import { join } from 'node:path';
import { ensureInstalled } from './lib/install.mjs';
import { cacheFolder } from './lib/paths.mjs';
import { runInForeground } from './lib/run.mjs';

await ensureInstalled();
// Spares every run but the first the stripping of types.
process.env.NODE_COMPILE_CACHE ??= join(cacheFolder, 'node');
process.exitCode = await runInForeground(process.argv.slice(2));
