import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf } from '../../system-errors.ts';

interface RunningProcess {
  /** Distinguishes two processes that had the same number at different times; empty on Windows. */
  startedAt: string;
  /** Empty on Windows. */
  commandLine: string;
}

/** Finds the process with this id; undefined when there is none, or only a zombie. */
export function findProcess(pid: number): RunningProcess | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'darwin') return findWithPs(pid);
  try {
    if (process.platform !== 'win32') return findInProc(pid);
    process.kill(pid, 0);
    return { startedAt: '', commandLine: '' };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(errorCodeOf(error))) return undefined;
    throw error;
  }
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

function findInProc(pid: number): RunningProcess | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in brackets and may hold spaces; the third is the state, the 22nd the start
  // in clock ticks since the machine was switched on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return { startedAt: `${boot}/${fields[19]}`, commandLine };
}

function findWithPs(pid: number): RunningProcess | undefined {
  const args = ['-ww', '-p', String(pid), '-o', 'stat=', '-o', 'lstart=', '-o', 'command='];
  const { stdout } = spawnSync('ps', args, { encoding: 'utf8', env: programEnvironment() });
  // For example "Ss   Mon Jun  1 09:30:00 2026     /path/of/program -with arguments".
  const match = /^(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec((stdout ?? '').trim());
  if (!match?.[1] || match[1].startsWith('Z')) return undefined;
  return { startedAt: match[2] ?? '', commandLine: match[3] ?? '' };
}

/**
 * Returns an environment without PGPORT and PGDATA, which would change what PostgreSQL's programs do, and without the
 * shop's secrets.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMP, TMPDIR, LC_ALL: 'C' };
}
