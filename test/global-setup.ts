import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { isDataFolderInUse } from '../src/server/platform/database/embedded/data-folder-lock.ts';
import { findPostgresPrograms } from '../src/server/platform/database/embedded/postgres-programs.ts';
import { stopLeftoverPostmaster } from '../src/server/platform/database/embedded/postmaster.ts';
import { findProcess } from '../src/server/platform/database/embedded/process-table.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../src/server/platform/database/embedded-server.ts';
import { migrate } from '../src/server/platform/database/migrate.ts';

const folderPrefix = 'kedai-test-';

// Tests may lose their data when the machine crashes; real flushing to disk would only slow them down.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

let server: EmbeddedServer | undefined;

/** Starts one PostgreSQL for the whole run, with a migrated database that createTestDatabase() copies. */
export async function setup(project: TestProject): Promise<void> {
  await removeAbandonedFolders();
  const dataDir = mkdtempSync(join(tmpdir(), folderPrefix));
  server = await startEmbeddedServer({ dataDir, settings });

  // When the run is interrupted, Vitest ends the process at once, without teardown().
  process.once('exit', () => {
    if (server) endNow(server.pid);
    rmSync(dataDir, { recursive: true, force: true });
  });

  await migrate(server.connectionString);
  project.provide('templateDatabase', server.connection);
}

export async function teardown(): Promise<void> {
  await server?.stop();
  server = undefined;
}

/** Ends a process and waits for it without the event loop, which no longer turns when a process exits. */
function endNow(pid: number): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  if (findProcess(pid)) process.kill(pid, 'SIGQUIT');
  while (findProcess(pid)) Atomics.wait(clock, 0, 0, 20);
}

/** What test runs left that were killed too hard to clean up; those that still run hold a lock, or are brand new. */
async function removeAbandonedFolders(): Promise<void> {
  const programs = await findPostgresPrograms();
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    const dataDir = join(tmpdir(), name);
    const { uid, mtimeMs } = statSync(dataDir);
    const isOurs = process.getuid === undefined || uid === process.getuid();
    if (!isOurs || Date.now() - mtimeMs < 60_000 || isDataFolderInUse(dataDir)) continue;
    const clusterFolder = join(dataDir, 'postgres');
    await stopLeftoverPostmaster({ clusterFolder, socketFolder: clusterFolder, programs });
    rmSync(dataDir, { recursive: true, force: true });
  }
}
