import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { readMigrations } from '../../src/server/platform/database/migration-history.ts';
import { version } from '../../src/server/platform/version.ts';
import { repositoryRoot } from '../faults/shop-process.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const changelog = read('CHANGELOG.md');
const releases = [...changelog.matchAll(/^## \[(?<name>\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/gm)].map(
  ({ groups }) => groups?.['name'],
);

describe('a release', () => {
  it('has the same version in package.json, the lock file, the changelog and the manifests', () => {
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
    expect(releases[0]).toBe(version);
    const { images } = parse(read('deploy/kubernetes/base/kustomization.yaml'));
    expect(images).toEqual([{ name: 'kedai', newTag: version }]);
  });

  it('describes its upgrade in the changelog and links to tests that exist', () => {
    const [, notes = ''] = changelog.split(`## [${version}]`);
    const upgrade = notes.split('### Added')[0] ?? '';
    expect(upgrade).toContain(`From ${releases[1]}`);
    const tests = [...upgrade.matchAll(/\]\((?<path>test\/[^)]+)\)/g)].map(({ groups }) => groups?.['path'] ?? '');
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
    const known = readMigrations().map(({ name }) => name);
    const named = changelog.match(/\d{4}_\w+\.sql/g) ?? [];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test.each(['.github/workflows/ci.yml', '.gitlab-ci.yml'])('%s runs only scripts and files that exist', (path) => {
  const text = read(path);
  expect(parse(text)).toBeTypeOf('object');
  const { scripts } = JSON.parse(read('package.json'));
  const run = [...text.matchAll(/npm run (?<name>[\w:]+)/g)].map(({ groups }) => groups?.['name'] ?? '');
  expect(run.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  for (const file of ['.ci/run', 'deploy/Containerfile']) {
    expect(text).toContain(file);
    expect(existsSync(join(repositoryRoot, file))).toBe(true);
  }
});
