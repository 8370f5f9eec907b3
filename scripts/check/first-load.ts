import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Finding, readSource } from './source-files.ts';

/** The limit for all scripts of a first visit together, gzipped. */
const LIMIT_BYTES = 130_000;

/** Packages that only some screens need; they belong into the chunks of those screens. */
const notInFirstLoad = /^(@stripe\/|zod$|react-hook-form$|@hookform\/|@base-ui\/|recharts$|qrcode$)/;

/** Weighs the scripts that the built page references: all that home needs. */
export function weighFirstLoad(folder: string): { kilobytes: string; findings: Finding[] } {
  const scripts = [...readSource(folder, 'index.html').matchAll(/(?:src|href)="\/(?<path>[^"]+\.js)"/g)].map(
    ({ groups }) => groups?.['path'] ?? '',
  );
  // Written by vite.config.ts: the packages that each script holds.
  const packages: Record<string, string[]> = JSON.parse(readSource(folder, '.vite/packages.json'));
  const misplaced = scripts.flatMap((path) =>
    (packages[path] ?? [])
      .filter((name) => notInFirstLoad.test(name))
      .map((name) => ({ path, message: `${name} is in the first load` })),
  );
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0);
  const kilobytes = `${(bytes / 1000).toFixed(1)} of ${LIMIT_BYTES / 1000} kB gzipped`;
  const tooHeavy = bytes > LIMIT_BYTES ? [{ path: 'index.html', message: `names ${kilobytes}` }] : [];
  return { kilobytes, findings: [...misplaced, ...tooHeavy] };
}
