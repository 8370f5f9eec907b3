import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import serverOptions from '../scripts/lib/server-options.json' with { type: 'json' };
import { readConfig } from '../src/server/config.ts';
import { openItemCipher } from '../src/server/platform/crypto/key-ring.ts';
import { openDatabase } from '../src/server/platform/database/open-database.ts';
import { systemClock } from './system-clock.ts';

const repositoryRoot = fileURLToPath(new URL('..', import.meta.url));

export interface Started {
  url: string;
  pid: number;
  /** Resident memory in MB, on Linux; undefined elsewhere. */
  residentMb(): number | undefined;
  /** By SIGTERM; rejects when the process had ended before, or does not end well. */
  stop(): Promise<void>;
}

// Outgoing connections get their ports from here on, and might get that of a process that is just started again.
const FIRST_OUTGOING_PORT = 32_768;

/** A port that nobody listens on, and that no outgoing connection takes meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, FIRST_OUTGOING_PORT);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return freePort();
    throw error;
  }
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the real shop as a process of its own, as the launcher does; `env` must name its DATA_DIR. */
export function startShopProcess(env: Record<string, string>): Promise<Started> {
  const { nodeOptions, environment } = serverOptions;
  return startProcess([...nodeOptions, 'src/server/main.ts'], { ...environment, ...env });
}

/** What a test writes into the database of a shop that runs in another process. */
export async function openShopOf(env: { DATABASE_URL: string; DATA_DIR: string }) {
  const db = openDatabase(env.DATABASE_URL);
  const cipher = await openItemCipher(db, readConfig(env).masterKeys);
  return { deps: { db, cipher, clock: systemClock }, close: () => db.destroy() };
}

/** Runs Node with `args` in a process of its own, on a free port unless `env` has a PORT, until it says that it is open. */
export async function startProcess(args: string[], env: Record<string, string>): Promise<Started> {
  const port = env['PORT'] ?? (await freePort());
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    env: { ...process.env, PORT: String(port), ...env },
    // Over the channel the shop notices when we are gone, however we ended.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  await saidItIsOpen(child);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    residentMb: () => residentMb(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0 && signal !== 'SIGTERM') throw new Error(`the process ended with ${code ?? signal}`);
    },
  };
}

function saidItIsOpen(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it was open`)));
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('is open at')) resolve();
    });
  });
}

function residentMb(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
