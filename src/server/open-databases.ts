import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { openMonitoring } from './open-monitoring.ts';
import { checkConnection, type DatabaseLimits } from './platform/database/connections.ts';
import { ensureDataFolder } from './platform/database/embedded/data-folder.ts';
import { startEmbeddedServer } from './platform/database/embedded/embedded-server.ts';
import { migrate } from './platform/database/migrate.ts';
import { readMigrations } from './platform/database/migration-history.ts';
import { openDatabase, openReplica, openSharedDatabase } from './platform/database/open-database.ts';

export interface DatabaseStart {
  /** Called with the function that stops the embedded database, for a process that must end early. */
  onDatabaseStarting?: (stopDatabase: () => Promise<void>) => void;
  /** Called when the shop's own database cannot be kept running and the process should end. */
  onDatabaseLost?: () => void;
  databaseLimits?: DatabaseLimits | undefined;
}

export interface Opening {
  config: Config;
  options: DatabaseStart;
  log: FastifyBaseLogger;
  monitoring: Awaited<ReturnType<typeof openMonitoring>>;
  report(line: string): void;
  isStopping(): boolean;
  /** Has `close` called when the shop stops, before what was opened earlier is closed. */
  onStop(close: () => Promise<unknown>): void;
}

/**
 * How many of the 20 connections are used at most by the calls of accounts, by calls that open payments, to read the
 * catalogue, and to count rate limits. Calls of one kind that wait for the same rows, or search a large catalogue, would
 * otherwise take up all connections. Paid orders are finished on any connection, and three are left to them if all
 * kinds of calls wait. A user can have 12 calls at once.
 */
const SHARES = { accounts: 13, opening: 10, catalogue: 8, limits: 2 };
const SHARED_CONNECTIONS = 17;

export type Databases = Awaited<ReturnType<typeof openDatabases>>;

/** Starts the shop's own PostgreSQL unless there is another one, brings it up to date, and connects. */
export async function openDatabases(opening: Opening) {
  const { config, options, log, report, onStop } = opening;
  const { watch, onStatement } = opening.monitoring;
  // Without a mail server, mail is written to the data folder.
  if (config.smtpUrl === undefined) ensureDataFolder(config.dataDir);
  if (config.databaseUrl !== undefined) await checkConnection(config.databaseUrl, config);
  const connectionString = config.databaseUrl ?? (await startOwnDatabase(opening));
  report('Bringing the database up to date');
  // Read once: while the process runs, an upgrade may replace the files.
  const migrations = readMigrations();
  await migrate(connectionString, migrations);
  // While the shop stops, its PostgreSQL may end before the last connection is closed.
  const onIdleError = ({ message: reason }: Error) =>
    opening.isStopping() || log.warn({ reason }, 'a database connection broke');
  const access = { onIdleError, preparedStatements: config.preparedStatements, limits: options.databaseLimits };
  const { db, shares } = openSharedDatabase(connectionString, {
    ...access,
    watch: watch('shop'),
    onStatement,
    shares: SHARES,
    together: SHARED_CONNECTIONS,
    watchShare: (name, use) => watch(`shop/${name}`)(use),
  });
  onStop(() => db.destroy());
  // A separate connection: under load, waiting for a free one must not fail the readiness checks, the clock or the
  // check of a replica.
  const probe = openDatabase(connectionString, { ...access, maxConnections: 1 });
  onStop(() => probe.destroy());
  let readDb = shares.catalogue;
  if (config.databaseReadUrl !== undefined) {
    const replica = await openReplica(config.databaseReadUrl, probe, {
      ...access,
      watch: watch('replica'),
      onStatement,
    });
    onStop(() => replica.destroy());
    readDb = replica;
  }
  return { connectionString, migrations, access, db, shares, readDb, probe };
}

async function startOwnDatabase({ config, options, log, report, onStop }: Opening): Promise<string> {
  report('Starting the database');
  const server = await startEmbeddedServer({
    dataDir: config.dataDir,
    report,
    onStarting: options.onDatabaseStarting,
    events: {
      ended: (reason, diskFull) => {
        if (diskFull) log.error({ alert: 'disk-full', reason }, 'the disk of the data folder is full');
        else log.warn({ reason }, 'the own database ended and is started again');
      },
      running: () => log.info('the own database runs again'),
      givenUp: (reason) => {
        log.error({ alert: 'database-lost', reason }, 'the own database ended five times in a minute');
        options.onDatabaseLost?.();
      },
    },
  });
  onStop(() => server.stop());
  return server.connectionString;
}
