import { spawn } from 'node:child_process';
import { findPinnedNode, repositoryRoot, serverEntry } from './paths.mjs';
import { forwardSignalsTo } from './run.mjs';

/**
 * Runs the shop and resolves to its exit code. The shop is told exactly once to stop, and it drains: on SIGINT and
 * SIGTERM; when npm is killed; and, through the closing of the channel between us, when we are.
 */
export function runServer({ nodeOptions = [], env = process.env } = {}) {
  const child = spawn(findPinnedNode(), [...nodeOptions, serverEntry], {
    cwd: repositoryRoot,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // A session of its own: the terminal sends Ctrl-C to the whole group, and we pass it on ourselves. On Windows this
    // would open a window.
    detached: process.platform !== 'win32',
  });
  forwardSignalsTo(child);
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

/** npm passes SIGTERM on, but not its own death by SIGKILL, which would leave the shop running unseen. */
function whenNpmIsGone(act) {
  if (!process.env['npm_lifecycle_event']) return () => undefined;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    act();
  }, 250);
  return () => clearInterval(timer);
}
