import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { exitWith, secondsSince } from './console.mjs';
import { withLock } from './lock.mjs';
import { findPinnedNode, repositoryRoot, toolScript } from './paths.mjs';
import { lastLines, runQuietly } from './run.mjs';

const sources = ['src/web', 'src/shared', 'vite.config.ts', 'package-lock.json'];

const target = join(repositoryRoot, 'dist/web');
const stampFile = join(repositoryRoot, 'dist/web.fingerprint');

/** Builds the browser side into dist/web, unless the sources have not changed since the last build. */
export async function ensureWebBuilt() {
  if (isBuilt(fingerprint())) return;
  await withLock('build', async () => {
    // Computed again: the process that held the lock before may have done the work, and files may have been saved meanwhile.
    const current = fingerprint();
    if (!isBuilt(current)) await build(current);
  });
}

function isBuilt(current) {
  return existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === current;
}

async function build(current) {
  console.log('Building the pages ...');
  const startedAt = Date.now();
  // Built in another folder and renamed when complete: a running shop keeps the old pages until then.
  const fresh = `${target}.fresh`;
  const vite = [toolScript('vite/bin/vite.js'), 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const { code, output } = await runQuietly(findPinnedNode(), vite, { env, endsWithUs: true });
  if (code !== 0) exitWith(`${lastLines(output, 40)}\n\nThe pages could not be built; the reason is above.`);
  rmSync(stampFile, { force: true });
  keepAssets();
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
  writeFileSync(stampFile, current);
  console.log(`Built in ${secondsSince(startedAt)}.`);
}

const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Moves the scripts of the last build to `dist/web.earlier` for a week: the pages of a process that runs on, and pages in
 * browsers, still load them.
 */
export function keepAssets(folder = target) {
  const assets = join(folder, 'assets');
  const earlier = join(`${folder}.earlier`, 'assets');
  mkdirSync(earlier, { recursive: true });
  const now = new Date();
  for (const path of listFiles(earlier)) if (statSync(path).mtime < now - keptMs) rmSync(path);
  if (!existsSync(assets)) return;
  for (const path of listFiles(assets)) {
    utimesSync(path, now, now);
    renameSync(path, join(earlier, relative(assets, path)));
  }
}

/** Returns a hash of the names and contents of all sources. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const path of sources.flatMap((source) => listFiles(join(repositoryRoot, source)))) {
    hash
      .update(`${relative(repositoryRoot, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => listFiles(join(path, name)));
}
