import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { makeScratchTree, repositoryRoot } from './scratch-tree.ts';

const run = promisify(execFile);

const files = {
  'package.json': JSON.stringify({ name: 'shop', type: 'module', dependencies: { zod: '4.0.0', pino: '10.0.0' } }),
  'src/server/main.ts': "import 'pino';\nimport 'pg';\nimport { used } from '../shared/prices.ts';\n\nused();\n",
  'src/shared/prices.ts': 'export const used = () => 1;\nexport const unused = 2;\nexport type Unused = 3;\n',
  'src/shared/orphan.ts': 'export const orphan = 1;\n',
  'test/prices.test.ts': "import { used } from '../src/shared/prices.ts';\n\nused();\n",
};

type Named = { name: string }[];

interface Report {
  issues: Record<'files' | 'exports' | 'types' | 'dependencies' | 'unlisted', Named>[];
}

let report: Report;

beforeAll(async () => {
  const tree = makeScratchTree(tmpdir(), files, ['knip.config.ts']);
  try {
    const knip = join(repositoryRoot, 'node_modules/knip/bin/knip.js');
    const args = [knip, '--no-progress', '--reporter', 'json'];
    const { stdout } = await run(process.execPath, args, { cwd: tree.root }).catch((failure) => failure);
    report = JSON.parse(stdout);
  } finally {
    tree.remove();
  }
});

test.each([
  ['a file that nothing imports', 'files', 'src/shared/orphan.ts'],
  ['an export that nothing imports', 'exports', 'unused'],
  ['a type that nothing imports', 'types', 'Unused'],
  ['a package that nothing imports', 'dependencies', 'zod'],
  ['an imported package that package.json does not list', 'unlisted', 'pg'],
] as const)('%s is reported, and nothing else of its kind', (_what, kind, name) => {
  const found = report.issues.flatMap((issue) => issue[kind].map((entry) => entry.name));
  expect(found).toEqual([name]);
});
