import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import serverOptions from '../../scripts/lib/server-options.json' with { type: 'json' };
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { repositoryRoot } from '../faults/shop-process.ts';
import { type Started, startProcess } from '../processes.ts';

// Scripts are plain JavaScript.
const importScript = (name: string) => import(new URL(`../../scripts/${name}`, import.meta.url).href);

const manifest: { version: string; devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(repositoryRoot, 'package.json'), 'utf8'),
);
const folder = mkdtempSync(join(tmpdir(), 'kedai-image-'));
let database: TestDatabase;
let shop: Started;

beforeAll(async () => {
  const { ensureWebBuilt } = (await importScript('lib/build-web.mjs')) as { ensureWebBuilt(): Promise<void> };
  const { assemble } = (await importScript('assemble-image.mjs')) as { assemble(target: string): string[] };
  await ensureWebBuilt();
  assemble(folder);
  database = await createTestDatabase();
  const settings = { DATABASE_URL: database.connectionString, DATA_DIR: join(folder, 'data'), DEMO: 'off' };
  shop = await startProcess([join(folder, 'src/server/main.ts')], settings);
});
afterAll(async () => {
  await shop?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

it('the image contains the whole shop with its pages', async () => {
  const page = await (await fetch(shop.url)).text();
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  expect((await fetch(`${shop.url}${script}`)).status).toBe(200);
  expect((await fetch(`${shop.url}/info/about`)).status).toBe(200);
  expect(await (await fetch(`${shop.url}/healthz`)).json()).toEqual({ status: 'ok', version: manifest.version });
});

it('the image contains no package for development, tests or the browser', () => {
  const held = new Set(readdirSync(join(folder, 'node_modules')));
  const browsers = ['react', 'react-dom', 'recharts', 'lucide-react'];
  // Packages of the server need these two as well.
  const { ajv: _, yaml: __, ...development } = manifest.devDependencies;
  const unwanted = [...Object.keys(development), ...browsers];
  expect(unwanted.filter((name) => held.has(name))).toEqual([]);
});

it('the image contains no tests', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /^(src|packages|scripts).*\.test\.ts$/.test(name))).toEqual([]);
});

it('the container starts Node with the options of the launcher', () => {
  const containerfile = readFileSync(join(repositoryRoot, 'deploy/Containerfile'), 'utf8');
  const options = serverOptions.nodeOptions.map((option) => `"${option}"`).join(', ');
  expect(containerfile).toContain(`ENTRYPOINT ["/usr/local/bin/node", ${options}]`);
  const { NODE_COMPILE_CACHE: _, ...environment } = serverOptions.environment;
  for (const [name, value] of Object.entries(environment)) expect(containerfile).toContain(` ${name}=${value}`);
});
