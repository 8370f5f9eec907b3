import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const folder = resolve(import.meta.dirname, '../../../../dist/web');
const INDEX = join(folder, 'index.html');
// Vite names these by their content, so browsers may cache them forever.
const HASHED = /[\\/]assets[\\/]/;

export interface BuiltPage {
  /** Different for each build. */
  version: string;
  /** The page as built, not yet filled with a head and data. */
  indexHtml: string;
  /** The scripts of a lazily loaded module of src/web, without those that every page loads. */
  scriptsOf(module: string): string[];
}

/** Returns the current build. A running shop uses a new build at once. */
export type FindBuiltPage = () => Promise<BuiltPage>;

/**
 * Serves the built files, except index.html, as the build has compressed them. Returns undefined when the browser side
 * is not built.
 */
export async function browserFiles(app: FastifyInstance): Promise<FindBuiltPage | undefined> {
  if (!existsSync(folder)) {
    app.log.warn('the browser side is not built; only the calls are answered');
    return undefined;
  }
  await app.register(fastifyStatic, {
    root: folder,
    dotfiles: 'ignore',
    index: false,
    allowedPath: (path) => path !== '/index.html',
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  let known: BuiltPage | undefined;
  return async () => {
    // While a build replaces another one, index.html is missing for a moment.
    const version = (await stat(INDEX).catch(() => undefined))?.mtimeMs.toString() ?? known?.version;
    if (known === undefined || known.version !== version) known = await readBuild(version ?? '');
    return known;
  };
}

async function readBuild(version: string): Promise<BuiltPage> {
  const manifest: Manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8'));
  const always = new Set(filesOf(manifest, 'index.html'));
  return {
    version,
    indexHtml: await readFile(INDEX, 'utf8'),
    scriptsOf: (module) => filesOf(manifest, module).flatMap((file) => (always.has(file) ? [] : `/${file}`)),
  };
}

type Manifest = Record<string, { file: string; imports?: string[] }>;

/** The files of a module and of its static imports. */
function filesOf(manifest: Manifest, module: string, seen = new Set<string>()): string[] {
  const chunk = manifest[module];
  if (!chunk || seen.has(module)) return [];
  seen.add(module);
  return [chunk.file, ...(chunk.imports ?? []).flatMap((imported) => filesOf(manifest, imported, seen))];
}
