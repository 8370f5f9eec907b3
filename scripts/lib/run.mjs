import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { findPinnedNode, repositoryRoot } from './paths.mjs';

const endWithParent = new URL('./end-with-parent.mjs', import.meta.url).href;

/**
 * Runs a script with the pinned Node on our own terminal; resolves to the exit code. A signal that would end us or npm ends
 * the script, which would otherwise go on unseen.
 */
export function runInForeground(args) {
  return new Promise((resolve) => {
    const child = spawn(findPinnedNode(), args, { cwd: repositoryRoot, stdio: 'inherit' });
    const stopForwarding = forwardSignalsTo(child);
    const stopWatching = whenNpmIsGone(() => child.kill('SIGTERM'));
    child.on('error', (error) => {
      stopWatching();
      console.error(`Node could not be started: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      stopForwarding();
      stopWatching();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/**
 * Runs a program without showing its output. Resolves to the exit code and everything the program wrote; the code of a
 * program that cannot be started is 127, as in a shell. With `endsWithUs` the command must be Node, and the script that
 * it runs does not outlive us, even when we are killed.
 */
export function runQuietly(command, args, { env = process.env, endsWithUs = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, endsWithUs ? ['--import', endWithParent, ...args] : args, {
      cwd: repositoryRoot,
      env,
      stdio: ['ignore', 'pipe', 'pipe', ...(endsWithUs ? ['ipc'] : [])],
    });
    const stopForwarding = forwardSignalsTo(child);
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => {
      stopForwarding();
      resolve({ code: 127, output: `${output}${error.message}` });
    });
    child.on('close', (code, signal) => {
      const stoppedBy = stopForwarding();
      // The child ended because of our signal, so end as if the signal had ended us, too.
      if (stoppedBy) process.exit(stoppedBy === 'SIGINT' ? 130 : 143);
      resolve({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}` : output });
    });
  });
}

/**
 * Forwards the first SIGINT or SIGTERM to a child: the terminal sends Ctrl-C to the whole foreground group, npm sends it
 * again, and a second signal often means "stop without cleaning up". Returns a function that ends the forwarding and
 * returns the signal that was received.
 */
export function forwardSignalsTo(child) {
  let received;
  const forward = (signal) => {
    if (received) return;
    received = signal;
    child.kill(signal);
  };
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  return () => {
    process.off('SIGINT', forward);
    process.off('SIGTERM', forward);
    return received;
  };
}

const lookEveryMs = 250;

/**
 * Calls `act` once when the npm that runs this script is gone. npm forwards SIGTERM, but nothing forwards SIGKILL, and on
 * Linux a shell in between ends without forwarding: the script would go on unseen. Returns the function that ends the watch.
 */
export function whenNpmIsGone(act) {
  if (!process.env['npm_lifecycle_event']) return () => undefined;
  const atFirst = readAncestors();
  const timer = setInterval(() => {
    if (readAncestors() === atFirst) return;
    clearInterval(timer);
    act();
  }, lookEveryMs);
  return () => clearInterval(timer);
}

/**
 * Returns the id of our parent and, if that is the shell through which npm runs scripts, of its parent. The result
 * changes when one of them is gone.
 */
function readAncestors() {
  const parent = process.ppid;
  const stat = `/proc/${parent}/stat`;
  // On systems other than Linux, the shell replaces itself by the script, so npm is our parent.
  if (!existsSync(stat)) return String(parent);
  const [, name, grandparent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(stat, 'utf8')) ?? [];
  return name?.endsWith('sh') ? `${parent} ${grandparent}` : String(parent);
}

export function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
