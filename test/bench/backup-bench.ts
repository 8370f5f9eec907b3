// npm run bench:backup: measures the time and the memory that a backup of 200,000 items and its restore take.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Deps } from '../../src/server/deps.ts';
import { addInventory } from '../../src/server/features/inventory/add-inventory.ts';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { noRateLimits } from '../../src/server/platform/rate-limits/rate-limits.ts';
import { makeProduct } from '../factories.ts';
import { openShopOf } from '../processes.ts';

const ITEMS = 200_000;
const BATCH = 10_000;
const actor = { userId: null, name: 'bench', ip: '' };

const dataDir = mkdtempSync(join(tmpdir(), 'kedai-backup-bench-'));
const server = await startEmbeddedServer({ dataDir });
try {
  const env = { DATABASE_URL: server.connectionString, DATA_DIR: dataDir };
  await migrate(server.connectionString);
  await fill(env);
  const client = new pg.Client({ connectionString: server.connectionString });
  await client.connect();
  await client.query('CREATE DATABASE restored');
  await client.end();

  const file = join(dataDir, 'shop.backup');
  report('backup', await run('backup', [file], env));
  console.log(`the file has ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  const restored = server.connectionString.replace('/kedai?', '/restored?');
  report('restore', await run('restore', [file], { ...env, DATABASE_URL: restored }));
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function fill(env: { DATABASE_URL: string; DATA_DIR: string }): Promise<void> {
  const { deps, close } = await openShopOf(env);
  const { id: productId } = await makeProduct(deps, { items: 0 });
  for (let from = 0; from < ITEMS; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => `KEDAI-${from + n}-AAAA-BBBB-CCCC`);
    await addInventory({ ...deps, limits: noRateLimits } as Deps, { productId, items, actor });
  }
  await close();
}

async function run(command: string, args: string[], env: Record<string, string>) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [`scripts/commands/${command}.ts`, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peakMb = 0;
  // The kernel records the peak, so only the moment after the last reading is missed.
  const timer = setInterval(() => {
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readStatus(child.pid)) ?? [];
    peakMb = Math.max(peakMb, Number(kilobytes) / 1024);
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`npm run ${command} ended with ${code}`);
  return { seconds: (performance.now() - startedAt) / 1_000, peakMb };
}

function readStatus(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

function report(what: string, { seconds, peakMb }: { seconds: number; peakMb: number }): void {
  console.log(`${what} of ${ITEMS} items: ${seconds.toFixed(1)} s, at most ${peakMb.toFixed(0)} MB of memory`);
}
