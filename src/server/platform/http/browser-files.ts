import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const BUILT = resolve(import.meta.dirname, '../../../../dist/web');
// Vite names these by their content, so browsers may cache them forever.
const HASHED = /[\\/]assets[\\/]/;

export interface BuiltPage {
  /** The page as built, not yet filled with a head and data. */
  indexHtml: string;
  /** The scripts of a lazily loaded module of src/web, without those that every page loads. */
  scriptsOf(module: string): string[];
}

/**
 * Serves the built and compressed files, except index.html. Returns the page, which is read once, because an upgrade
 * replaces the files while this process runs. Returns undefined when the browser side is not built.
 */
export async function browserFiles(app: FastifyInstance, folder = BUILT): Promise<BuiltPage | undefined> {
  if (!existsSync(folder)) {
    app.log.warn('the browser side is not built; only the API is served');
    return undefined;
  }
  await app.register(fastifyStatic, {
    // A build moves the scripts of the previous build to the second folder (scripts/lib/build-web.mjs).
    root: [folder, `${folder}.earlier`],
    suppressWarning: true,
    dotfiles: 'ignore',
    index: false,
    allowedPath: (path) => path !== '/index.html' && !path.endsWith('/'),
    acceptRanges: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const manifest: Manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8'));
  const always = new Set(filesOf(manifest, 'index.html'));
  return {
    indexHtml: await readFile(join(folder, 'index.html'), 'utf8'),
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
