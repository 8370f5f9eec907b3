import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { findPostgresPrograms } from '../src/server/platform/database/embedded/cluster.ts';
import { isDataFolderInUse } from '../src/server/platform/database/embedded/data-folder.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../src/server/platform/database/embedded/embedded-server.ts';
import { stopLeftoverPostmaster } from '../src/server/platform/database/embedded/postmaster.ts';
import { findProcess } from '../src/server/platform/database/embedded/processes.ts';
import { migrate } from '../src/server/platform/database/migrate.ts';
import { startJobs } from '../src/server/platform/jobs/jobs.ts';
import { unmountUnder } from './small-disk.ts';

const runFolderPrefix = 'kedai-test-';

// Tests may lose their data when the machine crashes; real flushing to disk would only slow them down.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // A deadlock is found at once: it is always a fault (test/faults/lock-order.test.ts).
  deadlock_timeout: '50ms',
};

let server: EmbeddedServer | undefined;

/**
 * Starts one PostgreSQL for the whole run, with a migrated database that createTestDatabase() copies. All temporary
 * folders of the run lie in one folder, which goes with it.
 */
export async function setup(project: TestProject): Promise<void> {
  await removeAbandonedRuns();
  const runFolder = mkdtempSync(join(tmpdir(), runFolderPrefix));
  // Open to the user whom PostgreSQL runs as for root.
  chmodSync(runFolder, 0o755);
  process.env['TMPDIR'] = runFolder;
  // When the run is interrupted, Vitest ends the process at once, without teardown().
  process.once('exit', () => {
    for (const pid of listClusters(runFolder).map(readPostmasterPid)) endNow(pid);
    unmountUnder(runFolder);
    // Processes that were started by tests may still be writing while they stop.
    rmSync(runFolder, { recursive: true, force: true, maxRetries: 20 });
  });

  server = await startEmbeddedServer({ dataDir: databaseFolder(runFolder), settings });
  await migrate(server.connectionString);
  // The job queue makes its tables at its first start: a quarter of what a start asks of PostgreSQL.
  await (await startJobs({ connectionString: server.connectionString, log: pino({ enabled: false }) })).stop();
  project.provide('templateDatabase', server.connection);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}

function databaseFolder(runFolder: string): string {
  return join(runFolder, 'database');
}

/** What test runs left that were killed too hard to clean up; those that still run hold a lock, or are brand new. */
async function removeAbandonedRuns(): Promise<void> {
  const programs = await findPostgresPrograms();
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(runFolderPrefix))) {
    const runFolder = join(tmpdir(), name);
    const { uid, mtimeMs } = statSync(runFolder);
    const isOurs = process.getuid === undefined || uid === process.getuid();
    if (!isOurs || Date.now() - mtimeMs < 60_000 || isDataFolderInUse(databaseFolder(runFolder))) continue;
    for (const clusterFolder of listClusters(runFolder)) {
      await stopLeftoverPostmaster({ clusterFolder, socketFolder: undefined, programs });
    }
    unmountUnder(runFolder);
    rmSync(runFolder, { recursive: true, force: true });
  }
}

/** Every folder of the run in which a test, or this file, has started a PostgreSQL. */
function listClusters(runFolder: string): string[] {
  return readdirSync(runFolder)
    .map((name) => join(runFolder, name, 'postgres'))
    .filter((folder) => existsSync(folder));
}

function readPostmasterPid(clusterFolder: string): number {
  const file = join(clusterFolder, 'postmaster.pid');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
}

/** Ends a process and waits for it without the event loop, which no longer turns when a process exits. */
function endNow(pid: number): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  if (findProcess(pid)) process.kill(pid, 'SIGQUIT');
  while (findProcess(pid)) Atomics.wait(clock, 0, 0, 20);
}
