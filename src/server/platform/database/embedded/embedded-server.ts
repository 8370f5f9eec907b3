import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../start-error.ts';
import { withConnection } from '../connections.ts';
import { choosePostgresAccount } from './account.ts';
import { chooseListening, clusterUser, ensureCluster, ensurePassword, findPostgresPrograms } from './cluster.ts';
import { lockDataFolder } from './data-folder.ts';
import { type DatabaseEvents, keepPostmaster } from './keep-postmaster.ts';
import {
  isWaitingForHelpers,
  type Postmaster,
  type PostmasterOptions,
  startPostmaster,
  stopLeftoverPostmaster,
  stopPostmaster,
} from './postmaster.ts';

export interface EmbeddedServer {
  connection: Connection;
  connectionString: string;
  /** PostgreSQL's main process; another one after a restart. */
  pid(): number;
  /** True when this start made the database. */
  firstStart: boolean;
  /** Ends PostgreSQL and gives the data folder back; resolves when it is gone. Calling it twice is harmless. */
  stop(): Promise<void>;
}

// Sized for a small shop on a small machine. The log says what failed, never the values in the statement: they are
// names, addresses and secrets.
const defaultSettings = {
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  jit: 'off',
  // Disks of today read here and there as well as in a row; and helpers of one query keep the few cores from the others.
  random_page_cost: '1.1',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

const HELPERS_TIMEOUT_MS = 15_000;

export interface EmbeddedOptions {
  dataDir: string;
  /** PostgreSQL's own, by name. */
  settings?: Record<string, string>;
  /** Hears lines of progress. */
  report?: (line: string) => void;
  events?: Partial<DatabaseEvents>;
}

/**
 * Starts the shop's own PostgreSQL with its data under `<dataDir>/postgres`: creates it on the first start, recovers it after
 * a crash, and restarts it whenever it ends. Throws a StartError when it cannot start, e.g. when another Kedai uses the folder.
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const report = options.report ?? (() => undefined);
  const releaseLock = await lockDataFolder(options.dataDir, report);
  try {
    return await startLocked({ ...options, report }, releaseLock);
  } catch (error) {
    releaseLock();
    throw error;
  }
}

async function startLocked(
  options: EmbeddedOptions & { report: (line: string) => void },
  releaseLock: () => void,
): Promise<EmbeddedServer> {
  // The real path, so that a PostgreSQL left behind is recognised by it also through a symbolic link.
  const dataDir = realpathSync(options.dataDir);
  const clusterFolder = join(dataDir, 'postgres');
  const programs = await findPostgresPrograms();
  const account = choosePostgresAccount({ dataDir, clusterFolder, program: programs.postgres });
  const password = ensurePassword(dataDir);
  const firstStart = await ensureCluster({ dataDir, clusterFolder, initdb: programs.initdb, password, account });
  if (firstStart) options.report('Made a new database.');

  const listening = await chooseListening(clusterFolder, account);
  const { host, port, socketFolder } = listening;
  await stopLeftoverPostmaster({ clusterFolder, socketFolder, programs });

  const connection = { host, port, user: clusterUser, password, database: 'kedai' };
  const settings = { ...defaultSettings, ...options.settings, ...listening.settings };
  const logFile = join(dataDir, 'postgres.log');
  const postmasterOptions = { clusterFolder, programs, account, settings, logFile };
  const kept = keepPostmaster(await startUntilReady(postmasterOptions, connection), {
    folder: dataDir,
    start: async (starting) => {
      await stopLeftoverPostmaster({ clusterFolder, socketFolder, programs });
      return startUntilReady(postmasterOptions, connection, starting);
    },
    events: options.events ?? {},
  });

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    kept.release();
    // Without a reference, a process that has nothing else to do would end while it waits for PostgreSQL to be gone.
    kept.current().ref();
    await stopPostmaster(kept.current().pid, clusterFolder, programs);
    await kept.released;
    // One that was being started meanwhile.
    await stopPostmaster(kept.current().pid, clusterFolder, programs);
    listening.cleanUp();
    releaseLock();
  };
  return {
    connection,
    connectionString: toConnectionString(connection),
    pid: () => kept.current().pid,
    firstStart,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function startUntilReady(
  options: PostmasterOptions,
  connection: Connection,
  starting: (postmaster: Postmaster) => void = () => undefined,
): Promise<Postmaster> {
  const giveUpOnHelpersAt = Date.now() + HELPERS_TIMEOUT_MS;
  for (;;) {
    const postmaster = startPostmaster(options);
    starting(postmaster);
    const failure = await waitForConnections(postmaster, connection).catch(async (error: unknown) => {
      await stopPostmaster(postmaster.pid, options.clusterFolder, options.programs);
      throw error;
    });
    if (failure === undefined) return postmaster;
    if (!isWaitingForHelpers(failure) || Date.now() > giveUpOnHelpersAt) {
      throw new StartError(`PostgreSQL did not start: ${failure} (more in ${options.logFile})`);
    }
    await delay(200);
  }
}

export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Crash recovery after a busy day takes seconds; this long means that something is wrong. */
const START_TIMEOUT_MS = 300_000;

/**
 * Resolves to undefined when the database answers (made now if it is missing), or to the complaint with which PostgreSQL
 * ended.
 */
async function waitForConnections(postmaster: Postmaster, connection: Connection): Promise<string | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const failure = postmaster.failure();
    if (failure !== undefined) return failure;
    const problem = await tryToConnect(connection);
    if (problem === undefined) return undefined;
    if (problem.code === missingDatabase) await createDatabase(connection);
    if (problem.code === wrongPassword) {
      throw new StartError('The file postgres-password does not fit the database beside it.');
    }
    // Anything else is the answer of a database that is starting or recovering.
    if (Date.now() > deadline) throw problem;
    await delay(20);
  }
}

export function toConnectionString({ host, port, user, password, database }: Connection): string {
  const url = new URL(`postgresql://${user}:${password}@localhost:${port}/${database}`);
  url.searchParams.set('host', host);
  // Overrides PGSSLMODE: a socket needs no encryption.
  url.searchParams.set('sslmode', 'disable');
  return url.href;
}

// PostgreSQL's names for its errors.
const missingDatabase = '3D000';
const wrongPassword = '28P01';

async function tryToConnect(connection: Connection): Promise<(Error & { code?: string }) | undefined> {
  try {
    await query(connection, 'SELECT 1');
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

async function createDatabase(connection: Connection): Promise<void> {
  await query({ ...connection, database: 'postgres' }, `CREATE DATABASE ${connection.database}`);
}

async function query(connection: Connection, sql: string): Promise<void> {
  await withConnection(toConnectionString(connection), (client) => client.query(sql));
}
