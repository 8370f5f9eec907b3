import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Files, makeScratchTree, repositoryRoot } from './scratch-tree.ts';

const run = promisify(execFile);

/** What each file breaks: the rule as Biome names it, or the words of a rule of our own. */
const planted: [path: string, rule: string, ...source: string[]][] = [
  ['src/server/features/orders/a-query.ts', 'SQL belongs in', "export const a = (db: Db) => db.selectFrom('orders');"],
  [
    'src/server/features/orders/an-insert.ts',
    'SQL belongs in',
    'export const a = (trx: Db) =>',
    "  trx.insertInto('orders');",
  ],
  ['src/server/platform/mail/an-update.ts', 'SQL belongs in', "export const a = (db: Db) => db.updateTable('mails');"],
  ['src/server/demo/a-delete.ts', 'SQL belongs in', "export const a = (db: Db) => db.deleteFrom('items');"],
  [
    'src/server/demo/a-row.ts',
    'SQL belongs in',
    'export const a = (db: Db) => rowOf<{ a: number }>(db)`SELECT 1 AS a`;',
  ],
  ['src/server/demo/a-field.ts', 'SQL belongs in', 'export const a = (db: Db) => fieldOf<number>(db)`SELECT 1`;'],
  ['src/server/app.ts', 'style/noRestrictedImports', "import { sql } from 'kysely';", 'export const a = sql;'],
  ['src/server/platform/jobs/a-pool.ts', 'style/noRestrictedImports', "import pg from 'pg';", 'export const a = pg;'],
  ['src/server/platform/a-class.ts', 'Only errors are classes', 'export class Shop {}'],
  ['src/web/a-subclass.ts', 'Only errors are classes', 'export class Shop extends EventTarget {}'],
  ['src/server/platform/an-expression.ts', 'Only errors are classes', 'export const a = class {};'],
  ['src/server/platform/an-environment.ts', 'style/noProcessEnv', 'export const a = process.env.PORT;'],
  ['src/shared/a-node-module.ts', 'correctness/noNodejsModules', "export { sep } from 'node:path';"],
  ['src/web/lib/a-node-module.ts', 'correctness/noNodejsModules', "export { sep } from 'node:path';"],
  ['src/shared/a-default.ts', 'style/noDefaultExport', 'export default 1;'],
  ['src/shared/a-barrel.ts', 'performance/noBarrelFile', "export { a } from './a-cycle.ts';"],
  ['src/shared/a-star.ts', 'performance/noReExportAll', "export * from './a-cycle.ts';"],
  [
    'src/shared/a-cycle.ts',
    'suspicious/noImportCycles',
    "import { b } from './another-cycle.ts';",
    'export const a = () => b;',
  ],
  [
    'src/shared/another-cycle.ts',
    'suspicious/noImportCycles',
    "import { a } from './a-cycle.ts';",
    'export const b = () => a;',
  ],
  [
    'src/shared/no-extension.ts',
    'correctness/useImportExtensions',
    "import { a } from './a-cycle';",
    'export const b = a;',
  ],
  ['src/shared/BadName.ts', 'style/useFilenamingConvention', 'export const a = 1;'],
  ['src/shared/an-any.ts', 'suspicious/noExplicitAny', 'export const a = (b: any) => b;'],
  ['src/shared/an-enum.ts', 'style/noEnum', 'export enum Colour {', '  Red = 1,', '}'],
  ['src/shared/a-bang.ts', 'style/noNonNullAssertion', 'export const a = (b: string | null) => b!;'],
  [
    'src/shared/a-value-import.ts',
    'style/useImportType',
    "import { A } from './a-type.ts';",
    'export const a = (b: A) => b;',
  ],
  [
    'src/shared/an-unused-import.ts',
    'correctness/noUnusedImports',
    "import { a } from './an-any.ts';",
    'export const b = 1;',
  ],
  ['src/shared/a-console.ts', 'suspicious/noConsole', "console.log('here');", 'export const a = 1;'],
  [
    'src/shared/an-empty-catch.ts',
    'suspicious/noEmptyBlockStatements',
    'export const a = () => {',
    '  try {',
    '    b();',
    '  } catch {}',
    '};',
    'const b = () => 1;',
  ],
  [
    'src/server/a-lost-promise.ts',
    'nursery/noFloatingPromises',
    'async function pay() {',
    '  return 1;',
    '}',
    'export function a() {',
    '  pay();',
    '}',
  ],
  [
    'src/server/a-promise-as-condition.ts',
    'nursery/noMisusedPromises',
    'async function paid() {',
    '  return true;',
    '}',
    'export const a = () => {',
    '  if (paid()) return 1;',
    '  return 2;',
    '};',
  ],
  ['src/server/a-thrown-string.ts', 'style/useThrowOnlyError', 'export function a() {', "  throw 'no';", '}'],
  [
    'src/server/a-development-package.ts',
    'correctness/noUndeclaredDependencies',
    "import fc from 'fast-check';",
    'export const a = fc;',
  ],
  [
    'src/server/an-undeclared-package.ts',
    'correctness/noUndeclaredDependencies',
    "import lodash from 'lodash';",
    'export const a = lodash;',
  ],
  [
    'src/server/a-skipped.test.ts',
    'suspicious/noSkippedTests',
    "import { test } from 'vitest';",
    "test.skip('a', () => 1);",
  ],
  [
    'src/server/a-focused.test.ts',
    'suspicious/noFocusedTests',
    "import { test } from 'vitest';",
    "test.only('a', () => 1);",
  ],
  [
    'test/e2e/a-sleep.spec.ts',
    'suspicious/noPlaywrightWaitForTimeout',
    "import { test } from '@playwright/test';",
    "test('a', async ({ page }) => {",
    '  await page.waitForTimeout(1000);',
    '});',
  ],
  ['src/web/ui/an-image.tsx', 'a11y/useAltText', 'export const A = () => <img src="a.png" />;'],
  [
    'src/web/state/an-effect.tsx',
    'correctness/useExhaustiveDependencies',
    "import { useEffect } from 'react';",
    'export const useA = (a: () => void) => useEffect(() => a(), []);',
  ],
];

const allowed: Files = {
  'src/server/features/orders/orders.queries.ts':
    "import { sql } from 'kysely';\n\nexport const a = (db: Db) => db.selectFrom('orders').where(sql`true`);\n",
  'src/server/platform/database/migrate.ts': "import pg from 'pg';\n\nexport const a = pg;\n",
  'src/server/features/checkout/settle-order.ts':
    "import type { Kysely } from 'kysely';\n\nexport type A = Kysely<object>;\n",
  'src/server/config.ts': 'export const port = process.env.PORT;\n',
  'src/shared/a-type.ts':
    "export class AppError extends Error {}\nexport class Refused extends TypeError {}\nexport type A = 'a';\n",
  'src/server/paying.test.ts': "import fc from 'fast-check';\n\nexpect(fc).toBeDefined();\n",
  'vite.config.ts': 'export default {};\n',
};

interface Report {
  diagnostics: { category: string; message: string; location: { path: string } }[];
}

let findings: { path: string; rule: string }[];

/** Runs Biome once, with the repository's settings, over all these files. */
beforeAll(async () => {
  const files = Object.fromEntries(planted.map(([path, , ...source]) => [path, `${source.join('\n')}\n`]));
  const copies = ['biome.jsonc', 'package.json', '.gitignore', 'scripts/check'];
  const tree = makeScratchTree(tmpdir(), { ...files, ...allowed }, copies);
  try {
    const biome = join(repositoryRoot, 'node_modules/@biomejs/biome/bin/biome');
    const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', 'src', 'test', 'vite.config.ts'];
    const { stdout } = await run(process.execPath, args, { cwd: tree.root }).catch((failure) => failure);
    const { diagnostics }: Report = JSON.parse(stdout);
    findings = diagnostics.map(({ category, message, location }) => ({
      path: location.path,
      rule: category === 'plugin' ? message : category.replace('lint/', ''),
    }));
  } finally {
    tree.remove();
  }
});

describe('a violation is reported', () => {
  test.each(planted)('%s: %s', (path, rule) => {
    expect(findings.filter((finding) => finding.path === path)).toContainEqual({
      path,
      rule: expect.stringContaining(rule),
    });
  });
});

test.each(Object.keys(allowed))('%s is exempt from a rule that holds elsewhere', (path) => {
  expect(findings.filter((finding) => finding.path === path)).toEqual([]);
});
