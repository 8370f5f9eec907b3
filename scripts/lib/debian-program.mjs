// Programs that tests need and that are no npm packages: found on this machine, or installed where that is possible.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { say } from './console.mjs';
import { withLock } from './lock.mjs';
import { lastLines, runQuietly } from './run.mjs';

/**
 * The path of a program: one that is installed, else one from a Debian package, which root installs. `packages` defaults
 * to the command's name. Throws one line that names the program when there is no way to get it.
 */
export async function ensureProgram(command, packages = [command]) {
  const find = () => findProgram([command]);
  const path = find() ?? (await withLock('apt', async () => find() ?? installFromDebian(packages, find)));
  if (path) return path;
  throw new Error(`The tests need ${command}. Install it, for example: apt-get install ${packages[0]}`);
}

/** The first of the commands that is on the PATH, or beside it where servers are installed, and that `runs` accepts. */
export function findProgram(commands, runs = existsSync) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(runs);
}

/** Installs the packages, one after the other until `find` has a result. Undefined without root, or outside Debian. */
export async function installFromDebian(packages, find) {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly('apt-get', ['update'], { env });
  for (const name of packages) {
    say(`Installing the system's package ${name} ...`);
    const install = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name];
    const { code, output } = await withoutServices(() => runQuietly('apt-get', install, { env }));
    const installed = find();
    if (installed) return installed;
    say(`It could not be installed: ${code === 0 ? 'it does not run' : findReason(output)}`);
  }
  return undefined;
}

/** Debian starts a server when its package is installed, on its usual port; this file is its way to prevent that. */
async function withoutServices(work) {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return work();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    rmSync(policy);
  }
}

/** The line of a failed command's output that says why. */
export function findReason(output) {
  return output.split('\n').find((line) => /error/i.test(line)) ?? lastLines(output, 1);
}
