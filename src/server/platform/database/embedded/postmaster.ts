import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../start-error.ts';
import type { PostgresAccount } from './account.ts';
import { type PostgresPrograms, socketName } from './cluster.ts';
import { findProcess, programEnvironment, waitUntilGone } from './processes.ts';

/** PostgreSQL's main process. */
export interface Postmaster {
  pid: number;
  /** The first complaint of a server that ended by itself; undefined while it runs. */
  failure(): string | undefined;
  /** Resolves to that complaint. Waiting for it does not keep our process running, unless `ref` was called. */
  ended: Promise<string>;
  ref(): void;
}

export interface PostmasterOptions {
  clusterFolder: string;
  programs: PostgresPrograms;
  account: PostgresAccount;
  settings: Record<string, string>;
  logFile: string;
}

const FAST_STOP_TIMEOUT_MS = 30_000;
const IMMEDIATE_STOP_TIMEOUT_MS = 10_000;
const LOG_SIZE_LIMIT_BYTES = 1_000_000;

/** Starts PostgreSQL in a session of its own, so that Ctrl-C reaches only the shop, which stops it after its own work. */
export function startPostmaster(options: PostmasterOptions): Postmaster {
  const { clusterFolder, programs, account, settings, logFile } = options;
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_SIZE_LIMIT_BYTES) rmSync(logFile);
  const log = openSync(logFile, 'a', 0o600);
  account.handOver(logFile);
  const logStart = statSync(logFile).size;
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = account.start(programs.postgres, ['-D', clusterFolder, ...assignments], {
    stdio: ['ignore', log, log],
    detached: true,
    windowsHide: true,
  });
  closeSync(log);
  child.unref();

  let failure: string | undefined;
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => {
      failure = error.message;
      resolve(failure);
    });
    child.on('exit', (code, signal) => {
      failure = firstComplaint(logFile, logStart) ?? `it ended with ${signal ?? `code ${code}`}`;
      resolve(failure);
    });
  });
  return { pid: child.pid ?? 0, failure: () => failure, ended, ref: () => child.ref() };
}

/**
 * Fast shutdown: transactions that are still open are rolled back, everything is written out. Resolves when the process
 * is gone.
 */
export async function stopPostmaster(pid: number, clusterFolder: string, programs: PostgresPrograms): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl has its own way.
    const stop = ['stop', '-D', clusterFolder, '-m', 'fast', '-w'];
    spawnSync(programs.pg_ctl, stop, { env: programEnvironment(), windowsHide: true });
  }
  signal(pid, 'SIGINT');
  if (await waitUntilGone(pid, FAST_STOP_TIMEOUT_MS)) return;
  // Immediate shutdown loses nothing that was committed either: the next start replays the log.
  signal(pid, 'SIGQUIT');
  if (await waitUntilGone(pid, IMMEDIATE_STOP_TIMEOUT_MS)) return;
  throw new StartError(`PostgreSQL (process ${pid}) does not stop.`);
}

/**
 * Stops a PostgreSQL that outlived its killed shop. Taking it over instead would save a fraction of a second, but keep the
 * settings and programs of the earlier start.
 */
export async function stopLeftoverPostmaster(options: {
  clusterFolder: string;
  socketFolder: string | undefined;
  programs: PostgresPrograms;
}): Promise<void> {
  const { clusterFolder, socketFolder, programs } = options;
  const pid = readPostmasterPid(clusterFolder);
  if (pid === undefined) return;
  if (isPostmaster(pid, clusterFolder)) return stopPostmaster(pid, clusterFolder, programs);
  // PostgreSQL removes these itself unless another process of the same user now has the number.
  if (!numberIsTaken(pid)) return;
  rmSync(join(clusterFolder, 'postmaster.pid'), { force: true });
  if (socketFolder) rmSync(join(socketFolder, `${socketName}.lock`), { force: true });
}

/** After the main process was killed its helpers need a moment to notice; PostgreSQL refuses to start before that. */
export function isWaitingForHelpers(failure: string): boolean {
  return failure.includes('pre-existing shared memory block');
}

function readPostmasterPid(clusterFolder: string): number | undefined {
  const file = join(clusterFolder, 'postmaster.pid');
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
}

function isPostmaster(pid: number, clusterFolder: string): boolean {
  const found = findProcess(pid);
  if (!found) return false;
  // Windows does not tell the command line; there, a live process is taken for the one that wrote the file.
  return process.platform === 'win32' || found.commandLine.includes(`-D ${clusterFolder} -c `);
}

function numberIsTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function firstComplaint(logFile: string, from: number): string | undefined {
  const lines = readFileSync(logFile).subarray(from).toString('utf8').split('\n');
  const fatal = lines.find((line) => /\b(FATAL|PANIC):/.test(line)) ?? lines.findLast((line) => line !== '');
  return fatal?.replace(/^.*\b(FATAL|PANIC):\s+/, '');
}
