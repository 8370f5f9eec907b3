import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { checkPackages } from '../../scripts/check/packages.ts';
import { makeScratchTree } from './scratch-tree.ts';

function messagesFor(dependencies: object, devDependencies: object, packages: object): string[] {
  const tree = makeScratchTree(tmpdir(), {
    'package.json': JSON.stringify({ dependencies, devDependencies }),
    'package-lock.json': JSON.stringify({ packages }),
  });
  try {
    return checkPackages(tree.root).map(({ message }) => message);
  } finally {
    tree.remove();
  }
}

const node = { node: '24.1.0' };
const zod = { 'node_modules/zod': { version: '4.0.0', integrity: 'sha512-abc' } };

test('packages with a version and without a host are accepted', () => {
  expect(messagesFor({ zod: '^4.0.0' }, node, zod)).toEqual([]);
});

test('a link to a package of the repository is accepted', () => {
  const link = { 'node_modules/@kedai/prices': { resolved: 'packages/prices', link: true } };
  expect(messagesFor({ '@kedai/prices': '0.1.0' }, node, link)).toEqual([]);
});

test('a lock file that names a host is reported', () => {
  const resolved = 'https://registry.example.com/zod/-/zod-4.0.0.tgz';
  const packages = { 'node_modules/zod': { ...zod['node_modules/zod'], resolved } };
  expect(messagesFor({ zod: '^4.0.0' }, node, packages)).toEqual([expect.stringContaining(resolved)]);
});

test.each(['git+https://example.com/zod.git', 'https://example.com/zod.tgz', 'file:../zod', 'latest', '*'])(
  'a package with the version "%s" is reported',
  (version) => {
    expect(messagesFor({ zod: version }, node, zod)).toEqual([`zod must be a version, not "${version}"`]);
  },
);

test.each(['^24.1.0', '24', undefined])('a Node version that is not exact (%s) is reported', (version) => {
  expect(messagesFor({}, { node: version }, {})).toContainEqual(
    expect.stringContaining('node must be one exact version'),
  );
});
