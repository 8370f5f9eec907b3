import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { exitWith, say } from './console.mjs';
import { findPinnedNode, toolScript } from './paths.mjs';
import { lastLines, runQuietly } from './run.mjs';

const commands = [
  // Never has a window, and does the same tests with a third less work.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * The path of a browser for the tests: the one in CHROMIUM_PATH, else one that is installed, else one that we install,
 * as a download of Playwright's or, for root on Debian, as a package. Ends the process with a message when all fail.
 */
export async function ensureChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (runs(chosen)) return chosen;
    exitWith(`CHROMIUM_PATH is ${chosen}, which does not run. Correct it or unset it.`);
  }
  const installed = findInstalled() ?? (await findPlaywrights());
  if (installed) return installed;
  const added = (await downloadPlaywrights()) ?? (await installDebians());
  if (added) return added;
  return exitWith(
    'The tests need Chromium. Install it, or set CHROMIUM_PATH to the path of a Chromium or Chrome.',
  );
}

function findInstalled() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...candidates, ...applications].find(runs);
}

/** Whether it starts, not only exists: Ubuntu has a `chromium-browser` that merely asks to install another one. */
function runs(path) {
  if (!existsSync(path)) return false;
  // On Windows, Chrome answers to no --version; it opens a window.
  return process.platform === 'win32' || spawnSync(path, ['--version'], { timeout: 20_000 }).status === 0;
}

async function findPlaywrights() {
  const { chromium } = await import('@playwright/test');
  return runs(chromium.executablePath()) ? chromium.executablePath() : undefined;
}

async function downloadPlaywrights() {
  say('Downloading Chromium for the tests ...');
  const { code, output } = await runQuietly(findPinnedNode(), [
    toolScript('@playwright/test/cli.js'),
    'install',
    'chromium',
  ]);
  if (code !== 0) say(`It could not be downloaded: ${findReason(output)}`);
  return findPlaywrights();
}

async function installDebians() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runQuietly('apt-get', ['update'], { env });
  // Older releases and Ubuntu do not have the first.
  for (const name of ['chromium-headless-shell', 'chromium']) {
    say(`Installing the system's package ${name} ...`);
    const install = ['install', '-y', '--no-install-recommends', name];
    const { code, output } = await runQuietly('apt-get', install, { env });
    const installed = findInstalled();
    if (installed) return installed;
    say(`It could not be installed: ${code === 0 ? 'it does not run' : findReason(output)}`);
  }
  return undefined;
}

function findReason(output) {
  return output.split('\n').find((line) => /error/i.test(line)) ?? lastLines(output, 1);
}
