import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOf, StartError } from '../../system-errors.ts';
import { withConnection } from '../connections.ts';
import { chooseListening, clusterUser, ensureCluster, ensurePassword, findPostgresPrograms } from './cluster.ts';
import { isDataFolderInUse, lockDataFolder } from './data-folder.ts';
import {
  type DatabaseEvents,
  keepRunning,
  type Postmaster,
  startPostmaster,
  stopLeftoverPostmaster,
  stopPostmaster,
} from './postmaster.ts';
import { choosePostgresAccount } from './processes.ts';

export type EmbeddedServer = Awaited<ReturnType<typeof startEmbeddedServer>>;

interface EmbeddedOptions {
  dataDir: string;
  settings?: Record<string, string>;
  report?: (line: string) => void;
  events?: DatabaseEvents;
  /** Called before PostgreSQL starts, with the function that stops it: recovery after a crash may take long. */
  onStarting?: ((stop: () => Promise<void>) => void) | undefined;
}

// Sized for a small machine. Failed statements are logged without their values, which may be personal data or secrets.
const defaultSettings = {
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  jit: 'off',
  // For statements outside of a transaction; in one, the shop sets the limit.
  statement_timeout: '15s',
  // Random reads cost little on today's disks. Parallel workers would take the few cores from other queries.
  random_page_cost: '1.1',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** Starts the shop's PostgreSQL under `<dataDir>/postgres`; restarts it whenever it ends. Throws a StartError. */
export async function startEmbeddedServer(options: EmbeddedOptions) {
  const report = options.report ?? (() => undefined);
  const releaseLock = await lockDataFolder(options.dataDir, report);
  try {
    return await startLocked({ ...options, report }, releaseLock);
  } catch (error) {
    releaseLock();
    throw error;
  }
}

/** Returns the connection string of the PostgreSQL that a running shop started for this folder; undefined without. */
export function findRunningServer(dataDir: string): string | undefined {
  if (!isDataFolderInUse(dataDir)) return undefined;
  const pidFile = join(realpathSync(dataDir), 'postgres/postmaster.pid');
  if (!existsSync(pidFile)) return undefined;
  // PostgreSQL publishes its port, socket folder and address in this file; the last line is its state.
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  const [, , , port = '', socketFolder = '', address = '', , state = ''] = lines.map((line) => line.trim());
  if (state !== 'ready') return undefined;
  const host = socketFolder || address;
  const password = ensurePassword(dataDir);
  return toConnectionString({ host, port: Number(port), user: clusterUser, password, database: DATABASE });
}

const DATABASE = 'kedai';

// Time for PostgreSQL's helper processes to end after the main process was killed.
const HELPERS_TIMEOUT_MS = 15_000;

async function startLocked(options: EmbeddedOptions & { report: (line: string) => void }, releaseLock: () => void) {
  // The real path, so that a leftover PostgreSQL is also recognised when DATA_DIR is a symbolic link.
  const dataDir = realpathSync(options.dataDir);
  const clusterFolder = join(dataDir, 'postgres');
  const programs = await findPostgresPrograms();
  const account = choosePostgresAccount({ dataDir, clusterFolder, program: programs.postgres });
  const password = ensurePassword(dataDir);
  const firstStart = await ensureCluster({ dataDir, clusterFolder, initdb: programs.initdb, password, account });
  if (firstStart) options.report('Made a new database.');

  const { host, port, socketFolder, cleanUp, ...listening } = await chooseListening(clusterFolder, account);
  const connection = { host, port, user: clusterUser, password, database: DATABASE };
  const settings = { ...defaultSettings, ...options.settings, ...listening.settings };
  const logFile = join(dataDir, 'postgres.log');

  // The process that runs or is starting; otherwise the last one.
  let current: Postmaster | undefined;
  const release = new AbortController();
  const stopCurrent = async () => current && stopPostmaster(current.pid, clusterFolder, programs);
  async function start(): Promise<void> {
    await stopLeftoverPostmaster({ clusterFolder, socketFolder, programs });
    const giveUpOnHelpersAt = performance.now() + HELPERS_TIMEOUT_MS;
    for (;;) {
      current = startPostmaster({ clusterFolder, programs, account, settings, logFile });
      const failure = await waitForConnections(current, connection).catch(async (error: unknown) => {
        await stopCurrent();
        throw error;
      });
      if (failure === undefined) return;
      // After the main process was killed, PostgreSQL refuses to start until its helper processes have ended.
      const waitsForHelpers =
        failure.includes('pre-existing shared memory block') && performance.now() <= giveUpOnHelpersAt;
      if (!waitsForHelpers || release.signal.aborted)
        throw new StartError(`PostgreSQL did not start: ${failure} (more in ${logFile})`);
      await delay(200);
    }
  }

  async function stopAll(): Promise<void> {
    release.abort();
    // Without this reference, a process that has nothing else to do would end before PostgreSQL has stopped.
    current?.child.ref();
    await stopCurrent();
    await released;
    // Stop a PostgreSQL that was being started meanwhile.
    await stopCurrent();
    cleanUp();
    releaseLock();
  }
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  const starting = start();
  let released = starting.catch(() => undefined);
  options.onStarting?.(stop);
  await starting;
  const ended = async () => (await current?.ended) ?? '';
  released = keepRunning({ start, ended, dataDir, signal: release.signal }, options.events);
  return {
    connection,
    connectionString: toConnectionString(connection),
    /** Returns the id of PostgreSQL's main process, which changes with a restart. */
    pid: () => current?.pid ?? 0,
    /** True when this start made the database. */
    firstStart,
    /** Ends PostgreSQL and releases the data folder; resolves when the process is gone. May be called twice. */
    stop,
  };
}

export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export function toConnectionString({ host, port, user, password, database }: Connection): string {
  const url = new URL(`postgresql://${user}:${password}@localhost:${port}/${database}`);
  url.searchParams.set('host', host);
  // Overrides PGSSLMODE: a socket needs no encryption.
  url.searchParams.set('sslmode', 'disable');
  return url.href;
}

// Crash recovery after a busy day takes seconds; a start that takes longer than this has another problem.
const START_TIMEOUT_MS = 300_000;
const MISSING_DATABASE = '3D000';
const WRONG_PASSWORD = '28P01';

/** Waits for connections and creates a missing database. Resolves to undefined, or to why PostgreSQL ended. */
async function waitForConnections(postmaster: Postmaster, connection: Connection): Promise<string | undefined> {
  const query = (database: string, sql: string) =>
    withConnection(toConnectionString({ ...connection, database }), (client) => client.query(sql));
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (postmaster.failure !== undefined) return postmaster.failure;
    try {
      await query(connection.database, 'SELECT 1');
      return undefined;
    } catch (error) {
      if (errorCodeOf(error) === MISSING_DATABASE) await query('postgres', `CREATE DATABASE ${connection.database}`);
      if (errorCodeOf(error) === WRONG_PASSWORD) {
        throw new StartError('The file postgres-password does not fit the database beside it.');
      }
      // Any other error comes from a database that is starting or recovering.
      if (performance.now() > deadline) throw error;
    }
    await delay(20);
  }
}
