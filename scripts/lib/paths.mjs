import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/** For locks and reports, which can be deleted at any time. Ignored by Git. */
export const cacheFolder = join(repositoryRoot, '.cache');

/**
 * The Node that runs the shop: the npm package `node`, pinned in the lock file, so that every clone runs the same version.
 * Undefined while it is not installed.
 */
export function findPinnedNode() {
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(repositoryRoot, 'node_modules/node/bin', executable);
  return existsSync(path) ? path : undefined;
}

/** The script that starts a command-line tool of an installed package, to be run by the pinned Node. */
export function toolScript(pathInNodeModules) {
  return join(repositoryRoot, 'node_modules', pathInNodeModules);
}
