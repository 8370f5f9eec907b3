import { type ChildProcess, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf, reasonOf, StartError } from '../../system-errors.ts';
import { type PostgresPrograms, socketName } from './cluster.ts';
import { isDiskFull } from './data-folder.ts';
import { findProcess, type PostgresAccount, programEnvironment, waitUntilGone } from './processes.ts';

/** PostgreSQL's main process. It does not keep our process running, unless `child.ref()` is called. */
export interface Postmaster {
  child: ChildProcess;
  pid: number;
  /** Why the server ended: its first fatal log line, its last one, or its exit code or signal. Undefined while it runs. */
  failure?: string;
  /** Resolves to `failure`. */
  ended: Promise<string>;
}

const FAST_STOP_TIMEOUT_MS = 30_000;
const IMMEDIATE_STOP_TIMEOUT_MS = 10_000;
const LOG_SIZE_LIMIT_BYTES = 1_000_000;

/** Starts PostgreSQL in a session of its own, so that Ctrl-C reaches only the shop, which stops PostgreSQL last. */
export function startPostmaster(options: {
  clusterFolder: string;
  programs: PostgresPrograms;
  account: PostgresAccount;
  settings: Record<string, string>;
  logFile: string;
}): Postmaster {
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

  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('exit', (code, signal) => {
      // A killed server could not log why it ended: its fatal lines are about connections.
      const logged = signal === 'SIGKILL' ? undefined : fatalLine(logFile, logStart);
      resolve(logged ?? `it ended with ${signal ?? `code ${code}`}`);
    });
  });
  const postmaster: Postmaster = { child, pid: child.pid ?? 0, ended };
  void ended.then((failure) => {
    postmaster.failure = failure;
  });
  return postmaster;
}

function fatalLine(logFile: string, from: number): string | undefined {
  // Somebody may have removed the file.
  if (!existsSync(logFile)) return undefined;
  const lines = readFileSync(logFile).subarray(from).toString('utf8').split('\n');
  const fatal = lines.find((line) => /\b(FATAL|PANIC):/.test(line)) ?? lines.findLast((line) => line !== '');
  return fatal?.replace(/^.*\b(FATAL|PANIC):\s+/, '');
}

/**
 * Stops PostgreSQL, first by a fast shutdown, which rolls open transactions back and writes everything to disk.
 * Resolves when the process is gone; throws StartError if it does not stop.
 */
export async function stopPostmaster(pid: number, clusterFolder: string, programs: PostgresPrograms): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl has its own way.
    const stop = ['stop', '-D', clusterFolder, '-m', 'fast', '-w'];
    spawnSync(programs.pg_ctl, stop, { env: programEnvironment(), windowsHide: true });
  }
  signal(pid, 'SIGINT');
  if (await waitUntilGone(pid, FAST_STOP_TIMEOUT_MS)) return;
  // An immediate shutdown loses no commit either, because the next start replays the log.
  signal(pid, 'SIGQUIT');
  if (await waitUntilGone(pid, IMMEDIATE_STOP_TIMEOUT_MS)) return;
  throw new StartError(`PostgreSQL (process ${pid}) does not stop.`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCodeOf(error) !== 'ESRCH') throw error;
  }
}

/** Stops a PostgreSQL that outlived its killed shop, because it has the settings and programs of the earlier start. */
export async function stopLeftoverPostmaster(options: {
  clusterFolder: string;
  socketFolder: string | undefined;
  programs: PostgresPrograms;
}): Promise<void> {
  const { clusterFolder, socketFolder, programs } = options;
  const pidFile = join(clusterFolder, 'postmaster.pid');
  const pid = existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, 'utf8'), 10) : 0;
  const found = findProcess(pid);
  // Windows does not tell the command line, so a live process with this id is taken for the file's writer.
  const isOurs = process.platform === 'win32' || found?.commandLine.includes(`-D ${clusterFolder} -c `);
  if (found && isOurs) return stopPostmaster(pid, clusterFolder, programs);
  // PostgreSQL removes these files itself, unless another process has the id now or the dead process is a zombie.
  if (!pid || !isNumberTaken(pid)) return;
  rmSync(pidFile, { force: true });
  if (socketFolder) rmSync(join(socketFolder, `${socketName}.lock`), { force: true });
}

function isNumberTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}

export interface DatabaseEvents {
  /** PostgreSQL ended, or a restart failed. With `diskFull`, called once until PostgreSQL runs again. */
  ended(reason: string, diskFull: boolean): void;
  running(): void;
  /** PostgreSQL failed five times in a minute and is not started again. */
  givenUp(reason: string): void;
}

const MAX_FAILURES = 5;
const WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const DISK_PAUSE_MS = 1_000;

/**
 * Restarts PostgreSQL whenever it ends, until `signal` aborts. The pauses grow, and the fifth failure in a minute ends
 * the restarts. On a full disk a start is tried every second until there is space.
 */
export async function keepRunning(
  options: { start: () => Promise<void>; ended: () => Promise<string>; dataDir: string; signal: AbortSignal },
  events?: DatabaseEvents,
): Promise<void> {
  const { start, ended, dataDir, signal } = options;
  const failures: number[] = [];
  let isDiskFullReported = false;

  /** Returns the pause before the next start in milliseconds; undefined when there must be no further start. */
  function pauseAfter(reason: string): number | undefined {
    if (isDiskFull(reason, dataDir)) {
      if (!isDiskFullReported) events?.ended(reason, true);
      isDiskFullReported = true;
      return DISK_PAUSE_MS;
    }
    const now = performance.now();
    failures.push(now);
    const recent = failures.filter((at) => now - at < WINDOW_MS).length;
    if (recent >= MAX_FAILURES) {
      events?.givenUp(reason);
      return undefined;
    }
    events?.ended(reason, false);
    return recent === 1 ? 0 : FIRST_PAUSE_MS * 2 ** (recent - 2);
  }

  let reason = await ended();
  while (!signal.aborted) {
    const pauseMs = pauseAfter(reason);
    if (pauseMs === undefined) return;
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const failure = await start().catch(reasonOf);
    if (signal.aborted) return;
    if (failure === undefined) {
      isDiskFullReported = false;
      events?.running();
    }
    reason = failure ?? (await ended());
  }
}
