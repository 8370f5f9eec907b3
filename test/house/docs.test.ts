import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../scripts/check/source-files.ts';
import { environment, secretSettings } from '../../src/server/config-variables.ts';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { repositoryRoot } from './scratch-tree.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const readme = read('README.md');

const settings = /## Configure it\n(?<text>[\s\S]*?)\n## /.exec(readme)?.groups?.['text'] ?? '';

test('the README names every setting of the shop, and no other', () => {
  const named = new Set(settings.match(/`[A-Z][A-Z_]+`/g)?.map((name) => name.slice(1, -1)));
  expect([...named].sort()).toEqual(Object.keys(environment.shape).sort());
});

test('the README marks every setting that can be in a file', () => {
  const marked = [...settings.matchAll(/`(?<name>[A-Z_]+)`(?: \*)? †/g)].map(({ groups }) => groups?.['name']);
  expect(marked.sort()).toEqual([...secretSettings].sort());
});

test.each(['README.md', 'docs/operations.md', 'docs/decisions/0005-typescript-run-by-node.md'])(
  '%s names the versions of Node that package.json accepts',
  (path) => {
    const accepted: string = JSON.parse(read('package.json')).engines.node;
    const [, lowest, next] = /^\^([\d.]+) \|\| >=([\d.]+)$/.exec(accepted) ?? [];
    expect(read(path)).toContain(`Node ${lowest}, or ${next} or newer`);
  },
);

test('the README lists the demo accounts', () => {
  for (const { label, email, password } of demoAccounts) {
    expect(readme).toContain(`| ${label} | ${email} | ${password} |`);
  }
});

const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...listFiles(repositoryRoot, ['docs', 'packages'], /\.md$/),
];

test.each(documents)('every link in %s has a target that exists', (path) => {
  const links = [...read(path).matchAll(/\]\((?!https?:|#)(?<target>[^)#]+)/g)].map(
    (match) => match.groups?.['target'],
  );
  const dead = links.filter((target) => !existsSync(join(repositoryRoot, dirname(path), target ?? '')));
  expect(dead).toEqual([]);
});

test.each(documents)('every file that %s names exists', (path) => {
  const named = [...read(path).matchAll(/`(?<file>(?:src|test|deploy|scripts|packages|docs)\/[\w./@-]+)`/g)].map(
    ({ groups }) => groups?.['file'] ?? '',
  );
  expect(named.filter((file) => !existsSync(join(repositoryRoot, file)))).toEqual([]);
});

test.runIf(process.platform !== 'win32')(
  'the restore instructions change the database name in every form of DATABASE_URL',
  () => {
    const commands = [...read('docs/operations.md').matchAll(/sed (?:-i )?-E (?<script>"s#.*?\$name#")/g)];
    expect(commands.length).toBe(2);
    const rename = (url: string) =>
      commands.map(
        ({ groups }) =>
          spawnSync('sh', ['-c', `name=restored; sed -E ${groups?.['script']}`], { input: url, encoding: 'utf8' })
            .stdout,
      );
    for (const before of ['kedai', 'kedai_20261125_0930']) {
      for (const query of ['', '?sslmode=verify-full&sslrootcert=/etc/ssl/kedai-database-ca.pem']) {
        const to = (name: string) => `postgres://kedai:password@127.0.0.1:5432/${name}${query}\n`;
        expect(rename(to(before))).toEqual([to('restored'), to('restored')]);
      }
    }
  },
);

test('every test that docs/conformance.md names exists', () => {
  const tests = new Set(
    listFiles(repositoryRoot, ['packages', 'src', 'test'], /\.(spec|test)\.ts$/).flatMap((path) => {
      const file = basename(path).replace(/\.(spec|test)\.ts$/, '');
      const titles = read(path).matchAll(/\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\1)[^\\])+)\k<quote>,/g);
      return [...titles].map(({ groups }) => `${file}: ${groups?.['title']?.replaceAll("\\'", "'")}`);
    }),
  );
  const named = [...read('docs/conformance.md').matchAll(/`(?<name>[a-z-]+: [^`]+)`/g)].map(
    ({ groups }) => groups?.['name'] ?? '',
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !tests.has(name) && name !== 'shell: name')).toEqual([]);
});
