import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { whenNpmIsGone } from './npm-process.mjs';
import { findPinnedNode, repositoryRoot, serverEntry } from './paths.mjs';

// Collect garbage early and keep few malloc arenas: a third of the memory for a few percent of the speed. The cache
// spares every start but the first the stripping of types.
const options = JSON.parse(readFileSync(new URL('./server-options.json', import.meta.url), 'utf8'));

/**
 * Runs the shop and resolves to its exit code. The shop is told to stop on SIGINT and SIGTERM, as often as they come (a
 * second one ends its wait for proxies); when npm is killed; and, through the closing of the channel between us, when we
 * are. How long it takes is its own affair (DRAIN_SECONDS).
 */
export function runServer({ nodeOptions = [], env = process.env } = {}) {
  const child = spawn(findPinnedNode(), [...options.nodeOptions, ...nodeOptions, serverEntry], {
    cwd: repositoryRoot,
    env: { ...options.environment, ...env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // A session of its own: the terminal sends Ctrl-C to the whole group, and we pass it on ourselves. On Windows this
    // would open a window.
    detached: process.platform !== 'win32',
  });
  const forward = (signal) => child.kill(signal);
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  const stopWatching = whenNpmIsGone(() => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`Node could not be started: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      stopWatching();
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}
