import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes.ts';
import { findProgram } from '../programs.ts';
import { unmountUnder } from '../small-disk.ts';
import { type DatabaseNode, type Member, openNode, type User } from './node.ts';
import { answersOk, until } from './until.ts';

/** Seconds without contact after which a primary has lost its role. */
export const TTL_SECONDS = 20;
const NODES = ['node1', 'node2', 'node3'];

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** Starts three PostgreSQL nodes under Patroni with one etcd; a synchronous standby confirms each commit. */
export async function openCluster() {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'kedai-drill-'));
  opened.defer(() => {
    unmountUnder(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  chmodSync(folder, 0o755);
  await findProgram('pg_createcluster');
  const user = userOf('postgres');
  const etcd = await startEtcd(folder, user);
  opened.defer(() => void etcd.child.kill('SIGKILL'));
  const nodes: DatabaseNode[] = [];
  for (const name of NODES) {
    const node = await openNode({ name, folder, user, etcdPort: etcd.port, ttl: TTL_SECONDS });
    opened.defer(node.close);
    nodes.push(node);
  }
  // The first node makes the database, the others copy it.
  nodes[0]?.start();
  await until('a primary', async () => (await leader()) !== undefined);
  for (const node of nodes.slice(1)) node.start();

  async function members(): Promise<Member[]> {
    const answers = await Promise.all(nodes.map((node) => node.members()));
    return answers.find((answer) => answer.length > 0) ?? [];
  }
  async function leader() {
    const states = await Promise.all(nodes.map(async (node) => ({ node, isPrimary: await node.isPrimary() })));
    return states.find(({ isPrimary }) => isPrimary)?.node;
  }
  const cluster = {
    folder,
    user,
    nodes,
    primary: async () => {
      const node = await leader();
      if (!node) throw new Error('The cluster has no primary');
      return node;
    },
    /** Waits for a primary, a synchronous standby, and a third node that follows. */
    whole: () =>
      until('the whole cluster', async () => {
        const all = await members();
        const isUp = ({ state }: { state: string }) => state === 'running' || state === 'streaming';
        const timelines = new Set(all.map(({ timeline }) => timeline));
        const hasRole = (role: string) => all.some((member) => member.role === role);
        return (
          all.length === nodes.length &&
          all.every(isUp) &&
          timelines.size === 1 &&
          hasRole('leader') &&
          hasRole('sync_standby')
        );
      }),
  };
  await cluster.whole();
  const parts = opened.move();
  return { ...cluster, close: () => parts.disposeAsync() };
}

function userOf(name: string): User {
  const id = (option: string) => Number(execFileSync('id', [option, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function startEtcd(folder: string, { uid, gid }: User): Promise<{ port: number; child: ChildProcess }> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const dataDir = join(folder, 'etcd');
  mkdirSync(dataDir, { mode: 0o700 });
  chownSync(dataDir, uid, gid);
  const url = `http://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const log = openSync(join(folder, 'etcd.log'), 'a');
  const child = spawn(
    await findProgram('etcd'),
    [
      ...['--data-dir', dataDir, '--name', 'etcd', '--initial-cluster', `etcd=${peerUrl}`],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      // Two cores do all the work of the drill, so a late heartbeat must not count as a lost node.
      ...['--heartbeat-interval', '500', '--election-timeout', '5000'],
    ],
    { stdio: ['ignore', log, log], uid, gid },
  );
  const ended = once(child, 'exit').then(() => {
    throw new Error(`etcd ended: see ${folder}/etcd.log`);
  });
  ended.catch(() => undefined);
  await Promise.race([until('etcd', () => answersOk(`${url}/health`)), ended]);
  return { port, child };
}
