import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../processes.ts';
import { findProgram } from '../programs.ts';

export interface Pooler extends AsyncDisposable {
  /** The database as it is reached through the pooler. */
  connectionString: string;
  /** Killed, and started again on the same port; its clients lose their connections. */
  restart(): Promise<void>;
}

interface PoolerOptions {
  /** More lines of its settings. */
  settings?: string;
  /** Whom it runs as, since it refuses root; unless given, the owner of the database's socket, whom only that one lets in. */
  user?: { uid: number; gid: number };
}

/** PgBouncer in transaction mode in front of a database: each transaction may get another connection of the server. */
export async function startPooler(connectionString: string, options: PoolerOptions = {}): Promise<Pooler> {
  const database = new URL(connectionString);
  const name = database.pathname.slice(1);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'kedai-pooler-'));
  // Open to the user whom PgBouncer runs as for root.
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const host = database.searchParams.get('host') ?? database.hostname;
  const server = [
    `host=${host}`,
    `port=${database.port}`,
    `user=${database.username}`,
    `password=${database.password}`,
  ];
  const settings = `[databases]
${name} = ${server.join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
${options.settings ?? ''}
`;
  writeFileSync(file, settings);
  const program = await findProgram('pgbouncer');
  const { uid, gid } = options.user ?? statSync(host);
  const start = async () => {
    const child = spawn(program, [file], { stdio: ['ignore', 'ignore', 'pipe'], uid, gid });
    await waitUntilOpen(child, port);
    return child;
  };
  let child = await start();
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    connectionString: `postgres://${database.username}@127.0.0.1:${port}/${name}`,
    restart: async () => {
      await kill();
      child = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

const OPEN_LIMIT_MS = 30_000;

async function waitUntilOpen(child: ChildProcess, port: number): Promise<void> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  for (const limit = Date.now() + OPEN_LIMIT_MS; ; await wait(20)) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${errors}`);
    if (await accepts(port)) return;
    if (Date.now() > limit) throw new Error(`PgBouncer does not open: ${errors}`);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
