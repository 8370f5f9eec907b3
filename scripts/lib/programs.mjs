// Programs that tests need and that are no npm packages: found on this machine, or installed where that is possible.

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { exitWith } from './console.mjs';
import { withLock } from './lock.mjs';
import { findPinnedNode, toolScript } from './paths.mjs';
import { lastLines, runQuietly } from './run.mjs';

const chromiums = [
  // Has no window, and needs a third less work for the same tests.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
];

/**
 * Returns the path of a browser for the tests: CHROMIUM_PATH, else an installed one, else one that this function
 * installs, as Playwright's download or, for root on Debian, as a package. Ends the process with a message when all
 * fail.
 */
export async function ensureChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen && !runs(chosen)) exitWith(`CHROMIUM_PATH is ${chosen}, which does not run. Correct it or unset it.`);
  const findInstalled = () => findProgram(chromiums, runs);
  const found = chosen || findInstalled() || (await findPlaywrights()) || (await downloadPlaywrights());
  // Older releases and Ubuntu do not have the first package.
  const path = found || (await installFromDebian(['chromium-headless-shell', 'chromium'], findInstalled));
  return (
    path || exitWith('The tests need Chromium. Install it, or set CHROMIUM_PATH to the path of a Chromium or Chrome.')
  );
}

/**
 * Tells whether a program starts, not only exists: Ubuntu has a `chromium-browser` that merely asks to install another
 * one.
 */
function runs(path) {
  if (!existsSync(path)) return false;
  // On Windows, Chrome answers --version by opening a window.
  return process.platform === 'win32' || spawnSync(path, ['--version'], { timeout: 20_000 }).status === 0;
}

async function findPlaywrights() {
  const { chromium } = await import('@playwright/test');
  return runs(chromium.executablePath()) ? chromium.executablePath() : undefined;
}

async function downloadPlaywrights() {
  console.log('Downloading Chromium for the tests ...');
  const install = [toolScript('@playwright/test/cli.js'), 'install', 'chromium'];
  const { code, output } = await runQuietly(findPinnedNode(), install);
  if (code !== 0) console.log(`It could not be downloaded: ${findReason(output)}`);
  return findPlaywrights();
}

/**
 * Returns the path of a program: an installed one, else one from its Debian package, which only root can install.
 * Throws one line that names the package when there is no way to get it.
 */
export async function ensureProgram(name, inPackage = name) {
  const find = () => findProgram([name]);
  const path = find() ?? (await withLock('apt', async () => find() ?? installFromDebian([inPackage], find)));
  if (path) return path;
  throw new Error(`The tests need ${name}. Install it, for example: apt-get install ${inPackage}`);
}

/** Finds the first command that is on the PATH, or in the folders of servers, and that `isUsable` accepts. */
function findProgram(commands, isUsable = existsSync) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(isUsable);
}

/** Installs the packages, one after the other until `find` has a result. Undefined without root, or outside Debian. */
async function installFromDebian(packages, find) {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly('apt-get', ['update'], { env });
  for (const name of packages) {
    console.log(`Installing the system's package ${name} ...`);
    const install = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name];
    const { code, output } = await withoutServices(() => runQuietly('apt-get', install, { env }));
    const installed = find();
    if (installed) return installed;
    console.log(`It could not be installed: ${code === 0 ? 'it does not run' : findReason(output)}`);
  }
  return undefined;
}

/** Prevents Debian from starting a server on its usual port when the server's package is installed. */
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
const findReason = (output) => output.split('\n').find((line) => /error/i.test(line)) ?? lastLines(output, 1);
