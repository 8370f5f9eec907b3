import { execFile } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const lockScript = new URL('../../scripts/lib/lock.mjs', import.meta.url).href;
const bundler = fileURLToPath(new URL('./bundle-shop.ts', import.meta.url));

const entry = fileURLToPath(new URL('./crashing-shop.ts', import.meta.url));
const folder = fileURLToPath(new URL('../../.cache/faults', import.meta.url));
const file = join(folder, 'crashing-shop.mjs');

let bundled: Promise<string> | undefined;

/**
 * The file of the fault tests' shop with all of its modules: to find and read a thousand files is two thirds of what a start
 * takes, and these tests start hundreds of processes. Made in each test run, by the first worker that needs it.
 */
export function bundledShop(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const { withLock }: { withLock(name: string, work: () => Promise<void>): Promise<void> } = await import(lockScript);
  // The folder of the run (test/global-setup.ts).
  const isMade = join(tmpdir(), 'crashing-shop.made');
  await withLock('crashing-shop', async () => {
    if (existsSync(isMade)) return;
    const fresh = `${process.pid}.mjs`;
    await promisify(execFile)(process.execPath, [bundler, entry, folder, fresh]);
    // Under the same name as in earlier runs, so that the cache of compiled code has one entry for it.
    renameSync(join(folder, fresh), file);
    writeFileSync(isMade, '');
  });
  return file;
}
