import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { checkNames } from '../../scripts/check/names.ts';
import { type Files, makeScratchTree } from './scratch-tree.ts';

function findingsIn(files: Files) {
  const tree = makeScratchTree(tmpdir(), files);
  try {
    return checkNames(tree.root).map(({ path, line, message }) => `${path}:${line} ${message}`);
  } finally {
    tree.remove();
  }
}

test.each([
  'export type Refund = { id: string };\n',
  'export interface Refund {}\n',
  'export function Refund() {}\n',
  'export async function Refund() {}\n',
  'export const Refund = 1;\n',
])('a name exported by two files is reported: %s', (declaration) => {
  const files = { 'src/server/refund.ts': 'export interface Refund {}\n', 'src/web/list.tsx': `\n${declaration}` };
  expect(findingsIn(files)).toEqual([
    'src/web/list.tsx:2 "Refund" is exported by src/server/refund.ts, too: one name for one thing',
  ]);
});

test('a schema and its type in one file, unexported names, tests and other packages may share a name', () => {
  const both = 'export const order = {};\nexport type order = typeof order;\n';
  expect(
    findingsIn({
      'src/shared/orders.ts': both,
      'src/server/orders.ts': 'const order = 1;\nexport const orders = [order];\n',
      'src/server/orders.test.ts': 'export const order = 1;\n',
      'packages/provider/src/orders.ts': 'export const order = 1;\n',
    }),
  ).toEqual([]);
});
