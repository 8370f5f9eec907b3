import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../start-error.ts';
import { type Connection, toConnectionString, waitForConnections } from './embedded/connection.ts';
import { lockDataFolder } from './embedded/data-folder-lock.ts';
import { type DatabaseEvents, keepPostmaster } from './embedded/keep-postmaster.ts';
import { chooseListening } from './embedded/listening.ts';
import { choosePostgresAccount } from './embedded/postgres-account.ts';
import { clusterUser, ensureCluster, ensurePassword } from './embedded/postgres-cluster.ts';
import { findPostgresPrograms } from './embedded/postgres-programs.ts';
import {
  isWaitingForHelpers,
  type Postmaster,
  type PostmasterOptions,
  startPostmaster,
  stopLeftoverPostmaster,
  stopPostmaster,
} from './embedded/postmaster.ts';

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
 * Starts the shop's own PostgreSQL with its data under `<dataDir>/postgres`, making it on the first start and recovering
 * it after a crash of either of us. From then on it is started again whenever it ends. Throws a StartError when it cannot
 * be started, for instance when another Kedai uses the folder.
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
  const firstStart = await ensureCluster({
    dataDir,
    clusterFolder,
    initdb: programs.initdb,
    password,
    account,
  });
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
