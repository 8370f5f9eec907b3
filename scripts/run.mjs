// Runs a TypeScript file of the repository with the packages installed: node scripts/run.mjs FILE [ARGUMENTS].

import { ensureInstalled } from './lib/install.mjs';
import { runInForeground } from './lib/run.mjs';

await ensureInstalled();
process.exitCode = await runInForeground(process.argv.slice(2));
