import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { exitWith, say } from './console.mjs';
import { findProgram, findReason, installFromDebian } from './debian-program.mjs';
import { findPinnedNode, toolScript } from './paths.mjs';
import { runQuietly } from './run.mjs';

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

// Older releases and Ubuntu do not have the first.
const packages = ['chromium-headless-shell', 'chromium'];

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
  const added = (await downloadPlaywrights()) ?? (await installFromDebian(packages, findInstalled));
  if (added) return added;
  return exitWith('The tests need Chromium. Install it, or set CHROMIUM_PATH to the path of a Chromium or Chrome.');
}

function findInstalled() {
  return findProgram(commands, runs) ?? applications.find(runs);
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
