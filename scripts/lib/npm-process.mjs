import { existsSync, readFileSync } from 'node:fs';

const lookEveryMs = 250;

/**
 * Calls `act` once when the npm that runs this script is gone. npm hands SIGTERM on, but nobody hands on SIGKILL: the
 * shop would keep its port and its data unseen. Returns the function that ends the watch.
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

/** Our parent and, where that is the shell through which npm runs scripts, its parent. They change when one is gone. */
function readAncestors() {
  const parent = process.ppid;
  const stat = `/proc/${parent}/stat`;
  // Elsewhere than on Linux the shell steps aside, and npm itself is our parent.
  if (!existsSync(stat)) return String(parent);
  const [, name, grandparent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(stat, 'utf8')) ?? [];
  return name?.endsWith('sh') ? `${parent} ${grandparent}` : String(parent);
}
