import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { browserFiles } from './browser-files.ts';
import { sendError } from './errors.ts';

// Scripts are plain JavaScript.
const { keepAssets } = (await import(new URL('../../../../scripts/lib/build-web.mjs', import.meta.url).href)) as {
  keepAssets(folder: string): void;
};

const parent = mkdtempSync(join(tmpdir(), 'kedai-pages-'));
const folder = join(parent, 'web');
afterAll(() => rmSync(parent, { recursive: true }));

/** Replaces the pages as `npm run build` does. */
function build(name: string) {
  keepAssets(folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  mkdirSync(join(folder, '.vite'));
  writeFileSync(join(folder, 'index.html'), name);
  writeFileSync(join(folder, `assets/${name}.js`), name);
  writeFileSync(join(folder, '.vite/manifest.json'), JSON.stringify({ 'screen.tsx': { file: `assets/${name}.js` } }));
}

async function start() {
  const app = Fastify();
  app.setErrorHandler(sendError);
  const built = await browserFiles(app, folder);
  const open = async (name: string) => (await app.inject(`/assets/${name}.js`)).statusCode;
  return { app, built, open };
}

it('a process serves the pages of its start after an upgrade, and the scripts of both builds', async () => {
  build('first');
  const older = await start();
  build('second');
  build('third');
  expect(older.built?.indexHtml).toBe('first');
  expect(older.built?.scriptsOf('screen.tsx')).toEqual(['/assets/first.js']);

  // Either process may be asked for the scripts of the other one's pages.
  const newer = await start();
  expect(newer.built?.indexHtml).toBe('third');
  for (const { open } of [older, newer]) {
    expect(await Promise.all(['first', 'third', 'unknown'].map(open))).toEqual([200, 200, 404]);
  }
});

it('scripts of an earlier build are served for a week', async () => {
  build('old');
  build('current');
  const weekAgo = Date.now() / 1_000 - 7 * 24 * 60 * 60 - 1;
  utimesSync(join(`${folder}.earlier`, 'assets/old.js'), weekAgo, weekAgo);
  build('next');
  const { open } = await start();
  expect(await Promise.all(['old', 'current', 'next'].map(open))).toEqual([404, 200, 200]);
});

it.each([
  ['a folder', '/assets/', {}, 404],
  ['a range beyond the end of a file', '/assets/ranges.js', { range: 'bytes=999-' }, 200],
  ['a range without numbers', '/assets/ranges.js', { range: 'bytes=abc' }, 200],
  ['a condition that does not hold', '/assets/ranges.js', { 'if-match': '"another"' }, 400],
])('a request for %s does not answer with a server error', async (_, url, headers, status) => {
  build('ranges');
  const { app } = await start();
  expect((await app.inject({ url, headers })).statusCode).toBe(status);
});
