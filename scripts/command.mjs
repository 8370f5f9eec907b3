// npm run <name>, for operators: runs a command of scripts/commands with what was typed after `--`.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled } from './lib/install.mjs';
import { findPinnedNode, repositoryRoot } from './lib/paths.mjs';

await ensureInstalled();
const [name, ...typed] = process.argv.slice(2);
const command = join(repositoryRoot, 'scripts/commands', `${name}.ts`);
const { status } = spawnSync(findPinnedNode(), [command, ...typed], { stdio: 'inherit' });
process.exitCode = status ?? 1;
