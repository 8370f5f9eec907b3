import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { exitWith, say, secondsSince } from './console.mjs';
import { withLock } from './lock.mjs';
import { findPinnedNode, repositoryRoot } from './paths.mjs';
import { lastLines, runQuietly } from './run.mjs';

/** Written last, and lost with node_modules: where it is right, an installation ran to its end. */
const stampFile = join(repositoryRoot, 'node_modules/.kedai-install');

/**
 * Makes node_modules match the lock file, and does nothing when it already does. Every script calls it first, so that
 * a fresh clone needs no separate `npm install`. Ends the process with a message when npm fails.
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await withLock('install', async () => {
    // Whoever held the lock before may have done the work.
    if (isInstalled()) return;
    await install();
  });
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === whatToInstall() && findPinnedNode() !== undefined;
}

async function install() {
  say('Installing packages (about half a minute the first time) ...');
  const startedAt = Date.now();
  rmSync(stampFile, { force: true });
  const npm = findNpm();
  const { code, output } = await runQuietly(npm.command, [...npm.args, ...ciArguments], {
    endsWithUs: npm.args.length > 0,
  });
  if (code !== 0) exitWith(`${lastLines(output, 40)}\n\nnpm could not install the packages; its last lines are above.`);
  if (findPinnedNode() === undefined) {
    exitWith(
      'npm installed the packages without running their install scripts. Kedai needs those named under "allowScripts" in package.json: unset npm\'s "ignore-scripts" and run this again.',
    );
  }
  writeFileSync(stampFile, whatToInstall());
  say(`Installed in ${secondsSince(startedAt)}.`);
}

// include=dev: with NODE_ENV=production npm would leave out the pinned Node and the browser build.
const ciArguments = [
  'ci',
  '--include=dev',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-progress',
  '--loglevel=error',
];

/** A fingerprint of all that decides what lands in node_modules; scripts and descriptions in package.json do not. */
function whatToInstall() {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  const { dependencies, devDependencies, optionalDependencies, overrides, allowScripts } = manifest;
  return createHash('sha256')
    .update(readFileSync(join(repositoryRoot, 'package-lock.json')))
    .update(JSON.stringify({ dependencies, devDependencies, optionalDependencies, overrides, allowScripts }))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
}

/**
 * The npm that started this script, else the one that came with this Node, else the one on the PATH. Always as a script
 * for Node where possible: that needs no shell, also on Windows, where `npm` is a batch file.
 */
function findNpm() {
  const nodeFolder = dirname(process.execPath);
  const scripts = [
    process.env.npm_execpath,
    join(nodeFolder, 'node_modules/npm/bin/npm-cli.js'),
    join(nodeFolder, '../lib/node_modules/npm/bin/npm-cli.js'),
  ];
  const script = scripts.find((path) => path && basename(path) === 'npm-cli.js' && existsSync(path));
  return script ? { command: process.execPath, args: [script] } : { command: 'npm', args: [] };
}
