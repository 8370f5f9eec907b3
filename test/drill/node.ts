import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../processes.ts';
import { findProgram } from '../programs.ts';
import { startSilentProxy } from '../silent-proxy.ts';
import { mountSmallDisk } from '../small-disk.ts';

const DISK_MB = 1_500;
const STOP_LIMIT_MS = 15_000;

export interface User {
  uid: number;
  gid: number;
}

/** A node as Patroni's REST interface describes it. */
export interface Member {
  role: string;
  state: string;
  timeline?: number;
}

interface NodeOptions {
  name: string;
  folder: string;
  user: User;
  etcdPort: number;
  ttl: number;
}

export type DatabaseNode = Awaited<ReturnType<typeof openNode>>;

/** Creates a PostgreSQL under Patroni on a disk of its own. Proxies lead to it, and one leads from it to etcd. */
export async function openNode({ name, folder, user, etcdPort, ttl }: NodeOptions) {
  const home = join(folder, name);
  mkdirSync(home);
  const disk = mountSmallDisk(home, DISK_MB);
  chownSync(home, user.uid, user.gid);
  const [databasePort, restPort] = [await freePort(), await freePort()];
  const database = await startSilentProxy({ host: '127.0.0.1', port: databasePort });
  const rest = await startSilentProxy({ host: '127.0.0.1', port: restPort });
  const etcd = await startSilentProxy({ host: '127.0.0.1', port: etcdPort });
  const proxies = [database, rest, etcd];
  const settings = join(folder, `${name}.json`);
  // JSON is valid YAML.
  writeFileSync(
    settings,
    JSON.stringify({
      scope: 'kedai',
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${rest.port}` },
      etcd3: { hosts: [`127.0.0.1:${etcd.port}`], use_proxies: true },
      bootstrap: { dcs: clusterSettings(ttl), initdb: ['data-checksums', { encoding: 'UTF8' }], pg_hba: HOST_RULES },
      postgresql: {
        listen: `127.0.0.1:${databasePort}`,
        connect_address: `127.0.0.1:${database.port}`,
        data_dir: join(home, 'data'),
        bin_dir: binaries(),
        pgpass: join(home, 'pgpass'),
        pg_hba: HOST_RULES,
        authentication: {
          superuser: { username: 'postgres', password: 'drill' },
          replication: { username: 'replicator', password: 'drill' },
        },
        parameters: { unix_socket_directories: home },
        basebackup: { checkpoint: 'fast' },
      },
    }),
  );
  const program = await findProgram('patroni');
  const log = openSync(join(folder, `${name}.log`), 'a');
  let patroni: ChildProcess | undefined;
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${restPort}${path}`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  /** Returns the process ids of PostgreSQL: the postmaster, then its children. */
  const databaseProcesses = () => {
    const postmaster = postmasterOf(join(home, 'data'));
    return postmaster === undefined ? [] : [postmaster, ...childrenOf(postmaster)];
  };
  const signalAll = (pids: (number | undefined)[], signal: NodeJS.Signals) => {
    for (const pid of pids) if (pid !== undefined) signalIfAlive(pid, signal);
  };

  const node = {
    name,
    disk,
    databasePort: database.port,
    restPort: rest.port,
    start: () => {
      patroni = spawn(program, [settings], { stdio: ['ignore', log, log], uid: user.uid, gid: user.gid, cwd: home });
    },
    isPrimary: async () => (await ask('/primary'))?.status === 200,
    members: async (): Promise<Member[]> => {
      const answer = await ask('/cluster');
      return answer?.ok ? ((await answer.json()) as { members: Member[] }).members : [];
    },
    killDatabase: () => signalAll(databaseProcesses(), 'SIGKILL'),
    /** Kills Patroni with its database, as if the machine were lost. */
    kill: () => signalAll([patroni?.pid, ...databaseProcesses()], 'SIGKILL'),
    freeze: () => signalAll([patroni?.pid, ...databaseProcesses()], 'SIGSTOP'),
    thaw: () => signalAll([...databaseProcesses(), patroni?.pid], 'SIGCONT'),
    /** Cuts the node off in both directions. */
    cutOff: () => {
      for (const proxy of proxies) proxy.fallSilent();
    },
    reconnect: () => {
      for (const proxy of proxies) proxy.recover();
    },
    close: async () => {
      node.thaw();
      node.reconnect();
      if (patroni && patroni.exitCode === null && patroni.signalCode === null) {
        const ended = once(patroni, 'exit');
        patroni.kill('SIGTERM');
        await Promise.race([ended, wait(STOP_LIMIT_MS, undefined, { ref: false })]);
      }
      node.kill();
      await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
  return node;
}

const HOST_RULES = [
  'local all all trust',
  'host all all 127.0.0.1/32 trust',
  'host replication all 127.0.0.1/32 trust',
];

/** The settings of the whole cluster; times in seconds. */
const clusterSettings = (ttl: number) => ({
  ttl,
  loop_wait: 2,
  retry_timeout: 6,
  synchronous_mode: true,
  // A standby takes over at once, without waiting for a primary that ended.
  primary_start_timeout: 0,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      max_connections: 100,
      shared_buffers: '64MB',
      max_wal_size: '256MB',
      wal_keep_size: '256MB',
      wal_sender_timeout: '5s',
      wal_receiver_timeout: '5s',
      wal_log_hints: 'on',
    },
  },
});

/** Returns the folder of programs of the newest PostgreSQL that Debian has installed. */
function binaries(): string {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
  return `/usr/lib/postgresql/${versions[0]}/bin`;
}

function postmasterOf(dataDir: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
  } catch {
    // PostgreSQL does not run.
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // The process has ended, and left its pid file behind.
    return [];
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
