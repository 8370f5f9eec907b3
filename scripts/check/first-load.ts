import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Finding, readSource } from './source-files.ts';

/** All scripts together that a first visit to the shop must load, gzipped. */
const LIMIT_BYTES = 130_000;

/** What only some screens need comes with those, in chunks of their own. */
const notInFirstLoad = /^(@stripe\/|zod$|react-hook-form$|@hookform\/|@base-ui\/|recharts$|qrcode$)/;

/** Weighs the scripts that the built page names: all it needs before it can show home. */
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
