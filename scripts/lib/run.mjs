import { spawn, spawnSync } from 'node:child_process';
import { findPinnedNode, repositoryRoot } from './paths.mjs';

const endWithParent = new URL('./end-with-parent.mjs', import.meta.url).href;

/** Runs a script with the pinned Node on our own terminal; returns the exit code. */
export function runInForeground(args) {
  return spawnSync(findPinnedNode(), args, { cwd: repositoryRoot, stdio: 'inherit' }).status ?? 1;
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

export function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
