import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { checkFiles } from '../../scripts/check/files.ts';
import { type Files, makeScratchTree } from './scratch-tree.ts';

function findingsIn(files: Files) {
  const tree = makeScratchTree(tmpdir(), files);
  try {
    return checkFiles(tree.root);
  } finally {
    tree.remove();
  }
}

const lines = (count: number) => 'export {};\n'.repeat(count);

test('a file may have up to 250 lines and a test up to 400', () => {
  expect(
    findingsIn({
      'src/server/long.ts': lines(251),
      'src/server/just-right.ts': lines(250),
      'src/web/long.css': lines(251),
      'src/server/platform/database/migrations/0009_long.sql': lines(251),
      'src/server/long.test.ts': lines(401),
      'test/e2e/just-right.spec.ts': lines(400),
    }).map(({ path, line }) => `${path}:${line}`),
  ).toEqual([
    'src/server/long.test.ts:401',
    'src/server/long.ts:251',
    'src/server/platform/database/migrations/0009_long.sql:251',
    'src/web/long.css:251',
  ]);
});

// The words are put together here, so that the check does not find them in this file.
test.each([
  ['biome', '-ignore lint: because'],
  ['@ts', '-ignore'],
  ['@ts', '-expect-error'],
  ['@ts', '-nocheck'],
  ['TO', 'DO: later'],
  ['FIX', 'ME'],
])('a comment with %s%s is reported with its line', (begin, end) => {
  const findings = findingsIn({ 'src/server/app.ts': `const a = 1;\n// ${begin}${end}\nexport const b = a;\n` });
  expect(findings).toMatchObject([{ path: 'src/server/app.ts', line: 2 }]);
});

test('dates may be formatted only in src/shared/format.ts', () => {
  const ownFormat = "export const day = new Intl.DateTimeFormat('en-MY');\n";
  const findings = findingsIn({
    'src/shared/format.ts': ownFormat,
    'src/web/ui/calendar.tsx': ownFormat,
    'src/server/mail.ts': 'export const day = (at: Date) => at.toLocaleDateString();\n',
  });
  expect(findings.map(({ path, line }) => `${path}:${line}`)).toEqual([
    'src/server/mail.ts:1',
    'src/web/ui/calendar.tsx:1',
  ]);
});

test.each([
  'src/web/features/cart/index.ts',
  'src/web/ui/index.tsx',
  'src/shared/utils.ts',
  'src/shared/date-utils.ts',
  'src/server/helpers/dates.ts',
  'src/server/common/dates.ts',
])('%s is refused as a file name without meaning', (path) => {
  expect(findingsIn({ [path]: lines(1) })).toMatchObject([{ path, message: 'name the file for what it holds' }]);
});
