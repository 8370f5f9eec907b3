import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf, StartError } from '../../system-errors.ts';

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
  const deadline = performance.now() + timeoutMs;
  while (startedAt !== undefined && findProcess(pid)?.startedAt === startedAt) {
    if (performance.now() > deadline) return false;
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

/** Returns an environment without PGPORT and PGDATA, which PostgreSQL's programs obey, and without our secrets. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMP, TMPDIR, LC_ALL: 'C' };
}

/** The user that PostgreSQL's programs run as. They refuse to run as root. */
export interface PostgresAccount {
  start(program: string, args: string[], options: SpawnOptions): ChildProcess;
  /** Gives one of our files or folders to the account; does nothing when the account is our own. */
  handOver(path: string): void;
}

type Owner = { uid: number; gid: number };

// Tried in this sequence. To read a clone in /root, another user needs a capability. `dac_read_search` nearly always
// suffices, but containers often grant only `dac_override`.
const capabilitiesToTry = [undefined, 'dac_read_search', 'dac_override'];

/** `clusterFolder`, PostgreSQL's own folder, may not exist yet; `program` must accept --version. */
type Places = { dataDir: string; clusterFolder: string; program: string };

/** Chooses a user who can run `program` and enter `dataDir`. Throws a StartError of one line when there is none. */
export function choosePostgresAccount({ dataDir, clusterFolder, program }: Places): PostgresAccount {
  const clusterOwner = statSync(clusterFolder, { throwIfNoEntry: false });
  const ownUid = process.getuid?.();
  if (ownUid !== 0) {
    const foreign = clusterOwner !== undefined && ownUid !== undefined && clusterOwner.uid !== ownUid;
    if (foreign) throw new StartError(explainForeignFolder(dataDir));
    return accountOf(undefined);
  }
  const owner = clusterOwner ?? findUser('postgres') ?? findUser('_postgres') ?? findUser('nobody');
  if (!owner) {
    throw new StartError(
      'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as. ' +
        'Start Kedai as an ordinary user, or make one: useradd --system postgres',
    );
  }
  if (owner.uid === 0) {
    throw new StartError(
      `PostgreSQL refuses to run as root, but ${clusterFolder} belongs to root (was it copied?). ` +
        `Give it to another user: chown -R nobody "${clusterFolder}"`,
    );
  }
  // Try the programs: permissions, access lists and containers have too many rules to evaluate here.
  const account = capabilitiesToTry
    .map((capability) => accountOf(owner, capability))
    .find(
      ({ succeeds }) =>
        succeeds(program, '--version') && succeeds('test', '-x', program) && succeeds('test', '-x', dataDir),
    );
  if (account) return account;
  throw new StartError(
    `PostgreSQL refuses to run as root, and the user it runs as instead (uid ${owner.uid}) may not enter ` +
      `${dataDir}. Move the clone to a folder open to all, or start Kedai as an ordinary user.`,
  );
}

export const explainForeignFolder = (dataDir: string): string =>
  `The data folder ${dataDir} belongs to another user, who started Kedai here first. ` +
  `Start it as that user again, or take the folder over: sudo chown -R $(id -un) "${dataDir}"`;

/** Without an owner, the programs run as our own user. */
function accountOf(owner: Owner | undefined, capability?: string) {
  const command = (program: string, args: string[]): [string, string[], SpawnOptions] => {
    // The account might not have access to our working folder.
    const surroundings = { cwd: '/', env: programEnvironment() };
    if (!owner || !capability) return [program, args, { ...surroundings, uid: owner?.uid, gid: owner?.gid }];
    const identity = ['--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups'];
    const extra = ['--inh-caps', `+${capability}`, '--ambient-caps', `+${capability}`];
    // Without this, access() ignores the capability; initdb calls access() to check that it may run postgres.
    const effective = ['--securebits', '+no_setuid_fixup'];
    return ['setpriv', [...identity, ...extra, ...effective, '--', program, ...args], surroundings];
  };

  return {
    start(name: string, givenArgs: string[], options: SpawnOptions): ChildProcess {
      const [program, args, identity] = command(name, givenArgs);
      return spawn(program, args, { ...options, ...identity });
    },
    succeeds(name: string, ...givenArgs: string[]): boolean {
      const [program, args, identity] = command(name, givenArgs);
      return spawnSync(program, args, identity).status === 0;
    },
    handOver(path: string): void {
      if (owner) chownSync(path, owner.uid, owner.gid);
    },
  };
}

function findUser(name: string): Owner | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
}
