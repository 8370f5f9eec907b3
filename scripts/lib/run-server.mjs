import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPinnedNode, repositoryRoot } from './paths.mjs';
import { whenNpmIsGone } from './run.mjs';

// Early garbage collection and few malloc arenas: a third of the memory for a few percent of the speed. The cache spares
// every start but the first the stripping of types.
const options = JSON.parse(readFileSync(new URL('./server-options.json', import.meta.url), 'utf8'));

// The server's exit code when it refuses its settings (src/server/main.ts).
const settingsRefused = 78;

const firstPauseMs = 500;
const longestPauseMs = 8_000;
// A server that ran this long did not end because of its start, so the pause is short again.
const longEnoughMs = 60_000;

/**
 * Runs the shop and resolves to its exit code. A server that was killed, or that was open and ended with an error, is
 * started again after a pause; a server that rejects its settings, or was never open, is not. The server stops on every
 * SIGINT and SIGTERM (a second one ends its wait for proxies), when npm is killed, and when this process is killed, which
 * closes the IPC channel. The server decides how long stopping takes (DRAIN_SECONDS).
 */
export async function runServer({ nodeOptions = [], env = process.env, startAgain = true } = {}) {
  const stop = new AbortController();
  let child;
  const forward = (signal) => {
    stop.abort();
    child?.kill(signal);
  };
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  const stopWatching = whenNpmIsGone(() => forward('SIGTERM'));

  let everOpen = false;
  let pauseMs = firstPauseMs;
  for (;;) {
    const startedAt = performance.now();
    child = startServer(nodeOptions, env);
    child.on('message', (message) => {
      everOpen ||= message === 'open';
    });
    const { code, signal } = await ended(child);
    const wasKilled = signal !== null && signal !== 'SIGINT' && signal !== 'SIGTERM';
    const failed = wasKilled || (everOpen && code !== 0 && code !== settingsRefused && signal === null);
    if (!startAgain || !failed || stop.signal.aborted) {
      stopWatching();
      return code ?? 128 + constants.signals[signal];
    }
    if (performance.now() - startedAt > longEnoughMs) pauseMs = firstPauseMs;
    console.error(`The server ended (${signal ?? `code ${code}`}). It is started again in ${pauseMs / 1000} s.`);
    await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted) {
      stopWatching();
      return 0;
    }
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

function startServer(nodeOptions, env) {
  const entry = join(repositoryRoot, 'src/server/main.ts');
  return spawn(findPinnedNode(), [...options.nodeOptions, ...nodeOptions, entry], {
    cwd: repositoryRoot,
    env: { ...options.environment, ...env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // A session of its own: the terminal sends Ctrl-C to the whole group, and we forward it. On Windows this would open
    // a window.
    detached: process.platform !== 'win32',
  });
}

function ended(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`Node could not be started: ${error.message}`);
      resolve({ code: 1, signal: null });
    });
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
}
