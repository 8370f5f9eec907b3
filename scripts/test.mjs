// npm test: everything that has tests. `npm test -- <part of a path>` runs only the test files whose path contains it.
// `npm run test:unit`: only the tests beside the code, which need neither a browser nor processes that are killed.
// The last line is the count over all suites, whatever happens before it.

import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { cacheFolder, findPinnedNode, repositoryRoot, toolScript } from './lib/paths.mjs';
import { ensureChromium } from './lib/programs.mjs';
import { forwardSignalsTo } from './lib/run.mjs';
import { addCounts, readPlaywright, readVitest } from './lib/test-counts.mjs';

// In memory, on Linux.
const SHARED_MEMORY = '/dev/shm';
// A run fills a fraction of it; the rest is for the processes of the tests.
const NEEDED_BYTES = 4 * 1024 ** 3;

const isUnit = process.argv[2] === '--unit';
const filters = isUnit ? ['src/', 'packages/'] : process.argv.slice(2);
// The run counts as failed until the runners have reported, because it may end at any step.
let total = { passed: 0, failed: 1, skipped: 0 };
const failed = [];
const flaky = [];
process.on('exit', () => {
  if (total.failed > 0) process.exitCode ||= 1;
  // Printed once more at the end, because a CI server may show only the last lines of its log.
  for (const test of failed) console.log(`failed: ${test}\n`);
  for (const test of flaky) console.log(`flaky: ${test}`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
});

await ensureInstalled();
await ensureWebBuilt();
const env = {
  ...process.env,
  ...(!isUnit && { CHROMIUM_PATH: await ensureChromium() }),
  // Node runs TypeScript by itself; Playwright would compile it once more in each of its processes.
  PW_DISABLE_TS_ESM: '1',
  NODE_COMPILE_CACHE: join(cacheFolder, 'node'),
  TMPDIR: chooseTemporaryFolder(),
};
// Tests set these themselves. The settings of the person who runs the tests lead to real money and real mailboxes.
for (const name of Object.keys(env)) {
  if (/^(DATABASE_.*|SMTP_URL(_FILE)?|STRIPE_.*|NODE_ENV)$/.test(name)) delete env[name];
}
mkdirSync(cacheFolder, { recursive: true });

const counts = [];
const suites = [
  {
    name: 'Vitest',
    arguments: [
      'vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json=.cache/vitest.json',
    ],
    passWithNoTests: '--passWithNoTests',
    report: 'vitest.json',
    read: readVitest,
  },
  {
    name: 'Playwright',
    arguments: ['@playwright/test/cli.js', 'test'],
    passWithNoTests: '--pass-with-no-tests',
    report: 'playwright.json',
    read: readPlaywright,
  },
];
for (const suite of isUnit ? suites.slice(0, 1) : suites) counts.push(await runSuite(suite));
total = addCounts(counts);
if (filters.length > 0 && total.passed + total.failed + total.skipped === 0) {
  console.log(`No test file has "${filters.join('" or "')}" in its path.`);
  total.failed = 1;
}

/**
 * Returns TMPDIR if it is set, else memory where there is plenty, else the folder of the system. Tests make and drop
 * hundreds of databases: on a disk, that is half of the work of the tests that start a PostgreSQL.
 */
function chooseTemporaryFolder() {
  return !process.env.TMPDIR && hasSpaceInMemory() ? SHARED_MEMORY : tmpdir();
}

function hasSpaceInMemory() {
  if (process.platform !== 'linux') return false;
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

async function runSuite(suite) {
  console.log(`\n${suite.name}`);
  const reportFile = join(cacheFolder, suite.report);
  rmSync(reportFile, { force: true });
  const [script, ...options] = suite.arguments;
  // A filter may leave one of the suites empty; without a filter an empty suite is a mistake.
  if (filters.length > 0) options.push(suite.passWithNoTests);
  const exitCode = await run([toolScript(script), ...options, ...filters]);
  const result = suite.read(readJson(reportFile), exitCode);
  failed.push(...result.failed);
  flaky.push(...result.flaky);
  if (filters.length === 0 && result.counts.passed === 0) result.counts.failed ||= 1;
  return result.counts;
}

/** Runs a tool in the foreground; an interruption ends this script, too. */
function run(args) {
  return new Promise((resolve) => {
    const child = spawn(findPinnedNode(), args, {
      cwd: repositoryRoot,
      env,
      stdio: 'inherit',
      // A group of its own, so that Ctrl-C reaches it once, through us: a second one would cut its cleanup short.
      detached: process.platform !== 'win32',
    });
    const stopForwarding = forwardSignalsTo(child);
    child.on('error', () => resolve(127));
    child.on('exit', (code) => {
      if (stopForwarding()) process.exit(130);
      resolve(code ?? 1);
    });
  });
}

function readJson(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`${file} is broken off: ${error.message}`);
    return undefined;
  }
}
