import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { explainForeignFolder } from '../../data-folder.ts';
import { StartError } from '../../start-error.ts';
import { programEnvironment } from './postgres-programs.ts';

/** As whom PostgreSQL's programs run. They refuse to run as root, so root needs another user for them. */
export interface PostgresAccount {
  start(program: string, args: string[], options: SpawnOptions): ChildProcess;
  /** Gives a file or folder of ours to the account; does nothing when we are the account. */
  handOver(path: string): void;
}

interface Owner {
  uid: number;
  gid: number;
}

interface Places {
  dataDir: string;
  /** PostgreSQL's own folder, which may not exist yet. */
  clusterFolder: string;
  /** A program that answers to --version. */
  program: string;
}

// Root may read everything, so a clone in /root works for root; its stand-in gets through closed folders only with a
// capability. Reading suffices nearly always and is tried first; containers often grant only the second.
const capabilitiesToTry = [undefined, 'dac_read_search', 'dac_override'];

/** Chooses the account, and throws one line that says what to do when there is none that works. */
export function choosePostgresAccount(places: Places): PostgresAccount {
  const clusterOwner = ownerOf(places.clusterFolder);
  const ownUid = process.getuid?.();
  if (ownUid !== 0) {
    const foreign = clusterOwner !== undefined && ownUid !== undefined && clusterOwner.uid !== ownUid;
    if (foreign) throw new StartError(explainForeignFolder(places.dataDir));
    return ourselves;
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
      `PostgreSQL refuses to run as root, but ${places.clusterFolder} belongs to root (was it copied?). ` +
        `Give it to another user: chown -R nobody "${places.clusterFolder}"`,
    );
  }
  const accounts = capabilitiesToTry.map((capability) => standIn(owner, capability));
  const account = accounts.find((candidate) => canReach(candidate, places));
  if (!account) {
    throw new StartError(
      `PostgreSQL refuses to run as root, and the user it runs as instead (uid ${owner.uid}) may not enter ` +
        `${places.dataDir}. Move the clone to a folder open to all, or start Kedai as an ordinary user.`,
    );
  }
  return account;
}

const ourselves: PostgresAccount = {
  start: (program, args, options) => spawn(program, args, { ...surroundings(), ...options }),
  handOver: () => undefined,
};

interface StandIn extends PostgresAccount {
  command(program: string, args: string[]): { program: string; args: string[]; options: Partial<Owner> };
}

function standIn(owner: Owner, capability: string | undefined): StandIn {
  const command: StandIn['command'] = (program, args) => {
    if (!capability) return { program, args, options: owner };
    const identity = ['--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups'];
    const extra = ['--inh-caps', `+${capability}`, '--ambient-caps', `+${capability}`];
    // Without this, the call access() ignores the capability, and initdb asks it whether it may run postgres.
    const effective = ['--securebits', '+no_setuid_fixup'];
    const wrapped = [...identity, ...extra, ...effective, '--', program, ...args];
    return { program: 'setpriv', args: wrapped, options: {} };
  };
  return {
    command,
    start: (program, args, options) => {
      const actual = command(program, args);
      return spawn(actual.program, actual.args, { ...surroundings(), ...options, ...actual.options });
    },
    handOver: (path) => chownSync(path, owner.uid, owner.gid),
  };
}

/** The working folder is the root: the account may not be allowed into ours. */
function surroundings(): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: '/', env: programEnvironment() };
}

/** Asks the system itself: permissions, access lists and containers have too many rules to work them out here. */
function canReach(account: StandIn, { program, dataDir }: Places): boolean {
  const succeeds = (name: string, args: string[]) => {
    const actual = account.command(name, args);
    return spawnSync(actual.program, actual.args, { ...surroundings(), ...actual.options }).status === 0;
  };
  return (
    succeeds(program, ['--version']) && [program, dataDir].every((path) => succeeds('test', ['-x', path]))
  );
}

function ownerOf(path: string): Owner | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && { uid: stats.uid, gid: stats.gid };
}

function findUser(name: string): Owner | undefined {
  const idOf = (flag: string) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : Number.NaN;
  };
  const owner = { uid: idOf('-u'), gid: idOf('-g') };
  return Number.isInteger(owner.uid) && Number.isInteger(owner.gid) ? owner : undefined;
}
