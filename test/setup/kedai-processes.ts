import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { findPostgresPrograms } from '../../src/server/platform/database/embedded/cluster.ts';
import { stopLeftoverPostmaster } from '../../src/server/platform/database/embedded/postmaster.ts';
import { unmountUnder } from '../small-disk.ts';

export interface StartedDatabase {
  child: ChildProcess;
  connectionString: string;
  /** PostgreSQL's main process. */
  pid: number;
  firstStart: boolean;
}

/** Creates an empty data folder; the end of the test deletes it and stops any PostgreSQL that still runs in it. */
export function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-setup-'));
  // For root, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(dataDir, 0o755);
  onTestFinished(async () => {
    const clusterFolder = join(dataDir, 'postgres');
    const programs = await findPostgresPrograms();
    await stopLeftoverPostmaster({ clusterFolder, socketFolder: undefined, programs });
    unmountUnder(dataDir);
    // An initdb that outlived its killed parent may still be writing.
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  return dataDir;
}

/** Starts run-embedded-server.ts in a process of its own, without waiting for the database. */
export function forkDatabase(dataDir: string): ChildProcess {
  const program = fileURLToPath(new URL('./run-embedded-server.ts', import.meta.url));
  const child = fork(program, [dataDir], { execArgv: [] });
  onTestFinished(() => kill(child));
  return child;
}

/** Starts run-embedded-server.ts and waits until the database answers. Throws when the process ends before. */
export async function startDatabase(dataDir: string): Promise<StartedDatabase> {
  const child = forkDatabase(dataDir);
  // The channel closes after its last message; the exit may come before that.
  const ended = once(child, 'disconnect').then(async () => {
    const code = await end(child, 'SIGKILL');
    throw new Error(`The database of ${dataDir} ended with ${child.signalCode ?? `code ${code}`} before it answered`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  if (message.refusal) throw new Error(message.refusal);
  return { child, ...message };
}

/** Sends SIGKILL: no handler runs, nothing is cleaned up. */
export async function kill(child: ChildProcess): Promise<void> {
  await end(child, 'SIGKILL');
}

/** Sends the signal and resolves to the exit code when the process has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}

/** Runs one statement on a connection of its own. */
export async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
