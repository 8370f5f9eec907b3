import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../house/scratch-tree.ts';

/** Runs a script of the repository in a Node that reports another version. */
function runWithNode(version: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, 'scripts/run.mjs', '--version'];
  return spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: 'utf8' });
}

test.each(['18.20.4', '20.18.3', '21.7.3', '22.11.0'])('a script refuses Node %s in one line', (version) => {
  const { status, stdout, stderr } = runWithNode(version);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(`Kedai needs Node ^20.19 || >=22.12, and this is ${version}: install a newer one.\n`);
});

test.each(['20.19.0', '20.20.2', '22.12.0', '24.0.0', '25.1.0'])('a script runs with Node %s', (version) => {
  expect(runWithNode(version).status).toBe(0);
});
