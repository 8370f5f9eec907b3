import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { StartError } from '../../start-error.ts';
import { explainForeignFolder } from './data-folder.ts';
import { programEnvironment } from './processes.ts';

/** The user that PostgreSQL's programs run as. They refuse to run as root, so root needs another user for them. */
export interface PostgresAccount {
  start(program: string, args: string[], options: SpawnOptions): ChildProcess;
  /** Gives one of our files or folders to the account; does nothing when we are the account. */
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

// A clone in /root is closed to the other user, who gets in only with a capability. The one for reading nearly always
// suffices; containers often grant only the second.
const capabilitiesToTry = [undefined, 'dac_read_search', 'dac_override'];

/** Throws a StartError of one line, which says what to do, when no account works. */
export function choosePostgresAccount(places: Places): PostgresAccount {
  const clusterOwner = ownerOf(places.clusterFolder);
  const ownUid = process.getuid?.();
  if (ownUid !== 0) {
    const foreign = clusterOwner !== undefined && ownUid !== undefined && clusterOwner.uid !== ownUid;
    if (foreign) throw new StartError(explainForeignFolder(places.dataDir));
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
      `PostgreSQL refuses to run as root, but ${places.clusterFolder} belongs to root (was it copied?). ` +
        `Give it to another user: chown -R nobody "${places.clusterFolder}"`,
    );
  }
  const accounts = capabilitiesToTry.map((capability) => accountOf(owner, capability));
  const account = accounts.find((candidate) => canReach(candidate, places));
  if (!account) {
    throw new StartError(
      `PostgreSQL refuses to run as root, and the user it runs as instead (uid ${owner.uid}) may not enter ` +
        `${places.dataDir}. Move the clone to a folder open to all, or start Kedai as an ordinary user.`,
    );
  }
  return account;
}

/** Without an owner, the programs run as we do. */
function accountOf(owner: Owner | undefined, capability?: string) {
  const command = (program: string, args: string[]): [string, string[], Partial<Owner>] => {
    if (!owner || !capability) return [program, args, owner ?? {}];
    const identity = ['--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups'];
    const extra = ['--inh-caps', `+${capability}`, '--ambient-caps', `+${capability}`];
    // Otherwise the call access() ignores the capability; initdb calls it to see whether it may run postgres.
    const effective = ['--securebits', '+no_setuid_fixup'];
    return ['setpriv', [...identity, ...extra, ...effective, '--', program, ...args], {}];
  };
  // The account may not be allowed into our working folder.
  const surroundings = () => ({ cwd: '/', env: programEnvironment() });

  return {
    start(name: string, givenArgs: string[], options: SpawnOptions): ChildProcess {
      const [program, args, identity] = command(name, givenArgs);
      return spawn(program, args, { ...surroundings(), ...options, ...identity });
    },
    succeeds(name: string, givenArgs: string[]): boolean {
      const [program, args, identity] = command(name, givenArgs);
      return spawnSync(program, args, { ...surroundings(), ...identity }).status === 0;
    },
    handOver(path: string): void {
      if (owner) chownSync(path, owner.uid, owner.gid);
    },
  };
}

/** Asks the system itself: permissions, access lists and containers have too many rules to work them out here. */
const canReach = ({ succeeds }: ReturnType<typeof accountOf>, { program, dataDir }: Places): boolean =>
  succeeds(program, ['--version']) && [program, dataDir].every((path) => succeeds('test', ['-x', path]));

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
