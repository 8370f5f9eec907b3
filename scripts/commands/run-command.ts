import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Config, readConfig } from '../../src/server/config.ts';
import type { Deps } from '../../src/server/deps.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import { checkConnection, databaseLimits, withConnection } from '../../src/server/platform/database/connections.ts';
import { openDatabaseClock } from '../../src/server/platform/database/database-clock.ts';
import { classifyError, DatabaseUnavailable } from '../../src/server/platform/database/database-errors.ts';
import { isDataFolderInUse } from '../../src/server/platform/database/embedded/data-folder.ts';
import { findRunningServer, startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrateNew } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { createLog } from '../../src/server/platform/log.ts';
import { PaymentRefused } from '../../src/server/platform/payments/payments.ts';
import { errorCodeOf, StartError } from '../../src/server/platform/system-errors.ts';
import { AppError } from '../../src/shared/errors.ts';

/** Dependencies of an operator's command. */
export type CommandDeps = Pick<Deps, 'config' | 'db' | 'cipher' | 'passwords' | 'clock'>;

/** The log of a command. The standard output is for its result, which may be a file such as the list of restore:release. */
export const commandLog = createLog(process.stderr);

/** Exit code of a check that could not be made; 1 means that it found something. */
export const NOT_CHECKED = 2;

// The check of the books allows a statement ten minutes, which the server enforces (readOneSnapshot).
const limits = { ...databaseLimits, answerMs: 11 * 60 * 1_000 };

/**
 * Runs a command on the shop's database, whether or not a shop runs on it. Sets the exit code of the process to the
 * result of `work`. Prints an error that the operator can correct as one line. `read` reads the arguments before the
 * database is opened, so that wrong ones are refused first.
 */
export const runCommand = <T>(
  { read, failureCode }: { read: () => T; failureCode?: number },
  work: (deps: CommandDeps, given: T) => Promise<number>,
): Promise<void> =>
  runAndExit(() => {
    const given = read();
    const config = readConfig();
    return withDatabaseServer(config, async (connectionString) => {
      await assertHasShop(connectionString);
      return withDeps({ config, connectionString }, (deps) => work(deps, given));
    });
  }, failureCode);

/** Throws StartError for a new database: everything adds up in it, and its backup would take the place of the shop's. */
export async function assertHasShop(connectionString: string): Promise<void> {
  const { rowCount } = await withConnection(connectionString, (client) =>
    client.query(`SELECT WHERE to_regclass('schema_migrations') IS NOT NULL`),
  );
  if (rowCount !== 0) return;
  throw new StartError('The database has no shop: correct DATABASE_URL or DATA_DIR, or start the shop first.');
}

let stopOwnDatabase = async (): Promise<void> => undefined;

/**
 * Sets the exit code of the process to the result of `work`, or to `failureCode` after an error, which it prints. A
 * signal ends the process after the database that it has started.
 */
export async function runAndExit(work: () => Promise<number>, failureCode = 1): Promise<void> {
  let isEnding = false;
  const end = async (signal: NodeJS.Signals) => {
    // One Ctrl-C may send several: from the terminal, from npm and from the launcher.
    if (isEnding) return;
    isEnding = true;
    await stopOwnDatabase().catch(() => undefined);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  let unwritten: Error | undefined;
  process.stdout.on('error', (error) => {
    unwritten ??= error;
  });
  try {
    const code = await work();
    // Also waits for the error of a line that was written just now.
    await new Promise<void>((resolve) => process.stdout.write('', () => setImmediate(resolve)));
    if (code === 0 && unwritten) throw new StartError(`The output could not be written: ${unwritten.message}`);
    process.exitCode = code;
  } catch (caught) {
    if (isEnding) return;
    const error = isForOperator(caught) ? caught : classifyError(caught).error;
    console.error(isForOperator(error) ? lineOf(error) : error);
    process.exitCode = failureCode;
  }
}

/** Tells whether the operator can correct the cause, so that a stack would only hide it. */
function isForOperator(error: unknown): error is Error {
  const isOfFile = error instanceof Error && 'syscall' in error && 'path' in error;
  return isOfFile || [StartError, AppError, PaymentRefused, DatabaseUnavailable].some((kind) => error instanceof kind);
}

function lineOf(error: Error): string {
  if (error instanceof DatabaseUnavailable) return `The database is not available: ${error.message}`;
  const cause = error instanceof AppError && error.cause;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

// A restart of the shop or of its PostgreSQL takes some seconds.
const RESTART_MS = 15_000;
const LOOK_AGAIN_MS = 200;
// PostgreSQL is stopping or starting. While nothing listens, a wrong port cannot be told from a restart.
const restartCodes = new Set(['57P01', '57P03']);

/**
 * Works on the database as it is, without migrations: that of DATABASE_URL, or the shop's own, which is started unless
 * a running shop has done so. Waits for a database that is being restarted.
 */
export async function withDatabaseServer<T>(
  config: Config,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  const { connectionString, stop } = await openServer(config);
  try {
    return await work(connectionString);
  } finally {
    await stop?.();
  }
}

async function openServer(config: Config): Promise<{ connectionString: string; stop?: () => Promise<void> }> {
  const { databaseUrl, dataDir } = config;
  const isInUse = () => databaseUrl === undefined && isDataFolderInUse(dataDir);
  const deadline = performance.now() + RESTART_MS;
  let isRestarting = false;
  for (;;) {
    isRestarting ||= isInUse();
    try {
      // A shop that starts has the folder before its PostgreSQL answers.
      const isLate = performance.now() > deadline;
      if (databaseUrl !== undefined) return await checkServer(databaseUrl, config);
      if (isLate || !isInUse() || findRunningServer(dataDir) !== undefined) return await openOwnServer(config);
    } catch (error) {
      isRestarting ||= isInUse() || restartCodes.has(errorCodeOf((error as Error).cause));
      if (!isRestarting || performance.now() > deadline) throw error;
    }
    await wait(LOOK_AGAIN_MS);
  }
}

async function checkServer(connectionString: string, config: Config) {
  await checkConnection(connectionString, config);
  return { connectionString };
}

async function openOwnServer(config: Config) {
  const running = findRunningServer(config.dataDir);
  if (running !== undefined) {
    await withConnection(running, (client) => client.query('SELECT 1'));
    return { connectionString: running };
  }
  return startEmbeddedServer({
    ...config,
    onStarting: (stop) => {
      stopOwnDatabase = stop;
    },
  });
}

/** Migrates a new database. Throws StartError when an existing one lacks a migration of this version. */
export async function withDeps<T>(
  { config, connectionString }: { config: Config; connectionString: string },
  work: (deps: CommandDeps) => Promise<T>,
): Promise<T> {
  await migrateNew(connectionString);
  const db = openDatabase(connectionString, {
    maxConnections: 2,
    preparedStatements: config.preparedStatements,
    limits,
  });
  try {
    const clock = await openDatabaseClock({ db, log: commandLog });
    clock.stop();
    const cipher = await openItemCipher(db, config.masterKeys);
    return await work({ config, db, cipher, passwords: createPasswordHasher(), clock });
  } finally {
    await db.destroy();
  }
}
