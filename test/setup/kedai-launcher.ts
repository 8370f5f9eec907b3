import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { freePort } from '../processes.ts';
import { end } from './kedai-processes.ts';

export interface LaunchedShop {
  launcher: ChildProcess;
  /** Everything that the launcher and the server have printed. */
  output(): string;
  /** Resolves to the URL in the last line of a successful start; `starts` counts the starts, for a restart. */
  opened(starts?: number): Promise<string>;
}

/** Starts the shop as `npm start` does, on a free port unless one is given, and without the demo's products. */
export async function launchShop(
  dataDir: string,
  { port, settings = {} }: { port?: number; settings?: Record<string, string> } = {},
): Promise<LaunchedShop> {
  const program = fileURLToPath(new URL('./run-launcher.mjs', import.meta.url));
  const { PATH, HOME, TMPDIR } = process.env;
  const launcher = spawn(process.execPath, [program], {
    env: {
      ...{ PATH, HOME, TMPDIR, PORT: String(port ?? (await freePort())), DATA_DIR: dataDir, DEMO: 'off' },
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A process group of its own, as in a terminal, so that a test can press Ctrl-C.
    detached: true,
  });
  let output = '';
  launcher.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  launcher.stderr?.on('data', (chunk) => {
    output += String(chunk);
  });
  onTestFinished(async () => {
    await end(launcher, 'SIGTERM');
  });
  const opened = async (starts = 1) => {
    const addresses = () => [...output.matchAll(/ is open at (\S+)\n/g)];
    const isDecided = () => addresses().length >= starts || launcher.exitCode !== null;
    await vi.waitUntil(isDecided, { timeout: 100_000, interval: 50 });
    const url = addresses()[starts - 1]?.[1];
    if (url === undefined) throw new Error(`The shop did not open:\n${output}`);
    return url;
  };
  return { launcher, output: () => output, opened };
}

/** Returns the process ids of the server that uses the data folder and of its PostgreSQL. */
export function findServer(dataDir: string): { server: number; postgres: number } {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'kedai.lock'), 'utf8')) as { pid: number };
  return { server: pid, postgres: Number.parseInt(readFileSync(postmasterPidFile(dataDir), 'utf8'), 10) };
}

/** Returns whether there is neither a lock nor a running PostgreSQL: the next start has nothing to repair. */
export function isStoppedCleanly(dataDir: string): boolean {
  return !existsSync(join(dataDir, 'kedai.lock')) && !existsSync(postmasterPidFile(dataDir));
}

export async function statusOf(url: string): Promise<number> {
  return (await fetch(new URL('/api/digital-products', url))).status;
}

function postmasterPidFile(dataDir: string): string {
  return join(dataDir, 'postgres/postmaster.pid');
}
