import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningProcess {
  /** Tells apart two processes that had the same number at different times. */
  startedAt: string;
  commandLine: string;
}

/** The process with this number; undefined when there is none, or only a zombie. */
export function findProcess(pid: number): RunningProcess | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'linux') return findOnLinux(pid);
  if (process.platform === 'win32') return findOnWindows(pid);
  return findWithPs(pid);
}

/** Waits until the process has gone; false when it is still there after `timeoutMs`. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const startedAt = findProcess(pid)?.startedAt;
  const deadline = Date.now() + timeoutMs;
  while (startedAt !== undefined && findProcess(pid)?.startedAt === startedAt) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

function findOnLinux(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold spaces; the third is the state, the 22nd the
    // start in clock ticks since the machine was switched on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { startedAt: `${boot}/${fields[19]}`, commandLine };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function findWithPs(pid: number): RunningProcess | undefined {
  const columns = ['-o', 'stat=', '-o', 'lstart=', '-o', 'command='];
  const { stdout } = spawnSync('ps', ['-ww', '-p', String(pid), ...columns], {
    encoding: 'utf8',
    env: programEnvironment(),
  });
  // For example "Ss   Mon Jun  1 09:30:00 2026     /path/of/program -with arguments".
  const match = /^(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec((stdout ?? '').trim());
  if (!match?.[1] || match[1].startsWith('Z')) return undefined;
  return { startedAt: match[2] ?? '', commandLine: match[3] ?? '' };
}

function findOnWindows(pid: number): RunningProcess | undefined {
  try {
    process.kill(pid, 0);
    return { startedAt: '', commandLine: '' };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ESRCH';
}

/** No PGPORT or PGDATA that would change what PostgreSQL's programs do, and none of the shop's secrets. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMP, TMPDIR, LC_ALL: 'C' };
}
