import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../processes.ts';
import { findProgram } from '../programs.ts';

export interface Pooler extends AsyncDisposable {
  /** The database as it is reached through the pooler. */
  connectionString: string;
}

/** PgBouncer in transaction mode in front of a database: each transaction may get another connection of the server. */
export async function startPooler(connectionString: string): Promise<Pooler> {
  const database = new URL(connectionString);
  const name = database.pathname.slice(1);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'kedai-pooler-'));
  // Open to the user whom PgBouncer runs as for root.
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const host = database.searchParams.get('host') ?? '';
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
`;
  writeFileSync(file, settings);
  const program = await findProgram('pgbouncer');
  // As the user whom PostgreSQL runs as: only that one may use its socket, and PgBouncer, too, refuses root.
  const { uid, gid } = statSync(host);
  const child = spawn(program, [file], { stdio: ['ignore', 'ignore', 'pipe'], uid, gid });
  await waitUntilOpen(child, port);
  return {
    connectionString: `postgres://${database.username}@127.0.0.1:${port}/${name}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function waitUntilOpen(child: ChildProcess, port: number): Promise<void> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${errors}`);
      const socket = connect(port, '127.0.0.1');
      try {
        await once(socket, 'connect');
      } finally {
        socket.destroy();
      }
    },
    { timeout: 30_000, interval: 20 },
  );
}
