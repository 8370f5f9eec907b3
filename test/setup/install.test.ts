import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../house/scratch-tree.ts';

/** A repository whose packages are of an earlier version, and an npm that deletes them and then does `next`. */
function makeRepository(next: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of ['scripts', 'package.json', 'package-lock.json']) {
    cpSync(join(repositoryRoot, path), join(folder, path), { recursive: true });
  }
  mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/.kedai-install'), 'of an earlier version');
  const npm = join(folder, 'npm-cli.js');
  writeFileSync(npm, `import fs from 'node:fs'; fs.rmSync('node_modules', { recursive: true, force: true }); ${next}`);
  const run = () =>
    spawnSync(process.execPath, ['scripts/run.mjs'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], npm_execpath: npm },
      encoding: 'utf8',
    });
  const stamp = () => readFileSync(join(folder, 'node_modules/.kedai-install'), 'utf8');
  return { folder, run, stamp };
}

test('a failed npm install keeps the old packages, so that the running version can be restarted', () => {
  const { folder, run, stamp } = makeRepository(`console.error('no network'); process.exit(1)`);
  const { status, stderr } = run();
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^no network\n/) });
  expect(stamp()).toBe('of an earlier version');
  expect(existsSync(join(folder, 'node_modules/node/bin'))).toBe(true);
});

test.runIf(process.platform !== 'win32')('a successful npm install removes the old packages', () => {
  const { folder, run, stamp } = makeRepository(
    `fs.mkdirSync('node_modules/node/bin', { recursive: true });
    fs.writeFileSync('node_modules/node/bin/node', '#!/bin/sh\\n', { mode: 0o755 });`,
  );
  expect(run().status).toBe(0);
  expect(stamp()).toMatch(/^[0-9a-f]{64}$/);
  expect(existsSync(join(folder, '.cache/node_modules'))).toBe(false);
});
