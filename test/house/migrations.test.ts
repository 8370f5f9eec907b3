import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { checkMigrations } from '../../scripts/check/migrations.ts';
import { type Files, makeScratchTree } from './scratch-tree.ts';

const folder = 'src/server/platform/database/migrations';
// SHA-256 of "SELECT 1;\n" and of "SELECT 2;\n".
const one = 'b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd';
const two = 'a41109d24069b4822ddc5f367b25d484dc7e839bff338ce7a3e5da641caacda0';

function findingsIn(files: Files): string[] {
  const inFolder = Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]);
  const tree = makeScratchTree(tmpdir(), Object.fromEntries(inFolder) as Files);
  try {
    return checkMigrations(tree.root).map(({ message }) => message);
  } finally {
    tree.remove();
  }
}

test('an unchanged migration on the list passes, with either line ending', () => {
  expect(findingsIn({ '0001_a.sql': 'SELECT 1;\n', 'checksums.txt': `${one}  0001_a.sql\n` })).toEqual([]);
  expect(findingsIn({ '0001_a.sql': 'SELECT 1;\r\n', 'checksums.txt': `${one}  0001_a.sql\r\n` })).toEqual([]);
});

test('a new migration needs a line in checksums.txt, which the finding contains', () => {
  expect(
    findingsIn({ '0001_a.sql': 'SELECT 1;\n', '0003_b.sql': 'SELECT 2;\n', 'checksums.txt': `${one}  0001_a.sql\n` }),
  ).toEqual([`0003_b.sql is not on the list: add the line "${two}  0003_b.sql" at the end of checksums.txt`]);
});

test('an edited or removed migration is reported', () => {
  const list = { 'checksums.txt': `${one}  0001_a.sql\n` };
  expect(findingsIn({ ...list, '0001_a.sql': 'SELECT 1; -- better\n' })).toEqual([
    '0001_a.sql is not as it landed: restore it, and make the change in a new migration',
  ]);
  expect(findingsIn(list)).toEqual(['0001_a.sql is on the list and is missing']);
});
