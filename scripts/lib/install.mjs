import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { exitWith, secondsSince } from './console.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, findPinnedNode, repositoryRoot } from './paths.mjs';
import { lastLines, runQuietly } from './run.mjs';

const packages = join(repositoryRoot, 'node_modules');

/** Written last, and deleted with node_modules: if its content is right, the installation was completed. */
const stampFile = join(packages, '.kedai-install');

/** The packages of the last installation, until the next one is complete. */
const earlierPackages = join(cacheFolder, 'node_modules');

/**
 * Makes node_modules match the lock file, and does nothing when they match already. Every script calls it first, so that a
 * fresh clone needs no separate `npm install`. Ends the process with a message when npm fails.
 */
export async function ensureInstalled() {
  assertNodeIsSupported();
  if (isInstalled()) return;
  await withLock('install', async () => {
    // The process that held the lock before may have done the work.
    if (!isInstalled()) await install();
  });
}

/**
 * Ends the process for a Node with which npm leaves out packages without an error, so that the pages cannot be built.
 */
function assertNodeIsSupported() {
  const { engines } = readPackage();
  const [major, minor] = process.versions.node.split('.').map(Number);
  const ranges = [...engines.node.matchAll(/(\^|>=)(\d+)\.(\d+)/g)];
  const isSupported = ranges.some(([, sign, from, fromMinor]) =>
    major === Number(from) ? minor >= Number(fromMinor) : sign === '>=' && major > Number(from),
  );
  if (!isSupported)
    exitWith(`Kedai needs Node ${engines.node}, and this is ${process.versions.node}: install a newer one.`);
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint() && findPinnedNode() !== undefined;
}

async function install() {
  console.log('Installing packages (about half a minute the first time) ...');
  const startedAt = Date.now();
  keepPackages();
  process.on('exit', bringPackagesBack);
  rmSync(stampFile, { force: true });
  // include=dev: with NODE_ENV=production npm would leave out the pinned Node and the browser build.
  const args = ['ci', '--include=dev', '--prefer-offline', '--loglevel=error'];
  const npm = findNpm();
  const { code, output } =
    npm === undefined
      ? await runQuietly('npm', args)
      : await runQuietly(process.execPath, [npm, ...args], { endsWithUs: true });
  if (code !== 0) exitWith(`${lastLines(output, 40)}\n\nnpm could not install the packages; its last lines are above.`);
  if (findPinnedNode() === undefined) {
    exitWith(
      'npm installed the packages without running their install scripts. Kedai needs those named under "allowScripts" in package.json: unset npm\'s "ignore-scripts" and run this again.',
    );
  }
  writeFileSync(stampFile, fingerprint());
  process.off('exit', bringPackagesBack);
  rmSync(earlierPackages, { recursive: true, force: true });
  console.log(`Installed in ${secondsSince(startedAt)}.`);
}

/**
 * Puts complete packages aside, because npm deletes them before it has the next ones: without a network, the version that
 * runs could not be started any more.
 */
function keepPackages() {
  // The Node that runs this script must stay where it is.
  if (!existsSync(stampFile) || process.execPath.startsWith(`${packages}${sep}`)) return;
  rmSync(earlierPackages, { recursive: true, force: true });
  try {
    renameSync(packages, earlierPackages);
  } catch {
    // Windows moves no folder with a program that runs.
  }
}

function bringPackagesBack() {
  if (!existsSync(earlierPackages)) return;
  rmSync(packages, { recursive: true, force: true });
  renameSync(earlierPackages, packages);
}

/**
 * Finds npm as a script for Node, so that it needs no shell (on Windows `npm` is a batch file) and ends with us: the
 * npm that started this script, else the one beside this Node.
 */
function findNpm() {
  const beside = dirname(process.execPath);
  const folders = [join(beside, 'node_modules'), join(beside, '../lib/node_modules')];
  const scripts = [process.env.npm_execpath, ...folders.map((folder) => join(folder, 'npm/bin/npm-cli.js'))];
  return scripts.find((path) => path && basename(path) === 'npm-cli.js' && existsSync(path));
}

/**
 * Returns a hash of everything that decides what npm installs. The lock file has the dependencies of package.json, too.
 */
function fingerprint() {
  const { allowScripts } = readPackage();
  return createHash('sha256')
    .update(readFileSync(join(repositoryRoot, 'package-lock.json')))
    .update(JSON.stringify([allowScripts, process.platform, process.arch]))
    .digest('hex');
}

function readPackage() {
  return JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
}
