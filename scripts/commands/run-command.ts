import { readConfig } from '../../src/server/config.ts';
import type { Deps } from '../../src/server/deps.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import { checkConnection } from '../../src/server/platform/database/connections.ts';
import { openDatabaseClock } from '../../src/server/platform/database/database-clock.ts';
import { findRunningServer, startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { createLog } from '../../src/server/platform/log.ts';
import { StartError } from '../../src/server/platform/start-error.ts';

/** What an operator's command works with. */
export type CommandDeps = Pick<Deps, 'config' | 'db' | 'cipher' | 'passwords' | 'clock'>;

/**
 * Runs a command on the shop's database, beside a running shop or alone, and ends the process with the exit code that `work`
 * resolves to. What the operator can correct is printed as one line.
 */
export async function runCommand(work: (deps: CommandDeps) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await withShopDatabase(work);
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}

async function withShopDatabase<T>(work: (deps: CommandDeps) => Promise<T>): Promise<T> {
  const config = readConfig();
  if (config.databaseUrl !== undefined) await checkConnection(config.databaseUrl);
  const running = config.databaseUrl ?? findRunningServer(config.dataDir);
  const own = running === undefined ? await startEmbeddedServer(config) : undefined;
  try {
    const connectionString = running ?? own?.connectionString ?? '';
    await migrate(connectionString);
    const db = openDatabase(connectionString, { maxConnections: 2, preparedStatements: config.preparedStatements });
    try {
      const clock = await openDatabaseClock({ db, log: createLog() });
      clock.stop();
      const cipher = await openItemCipher(db, config.masterKeys);
      return await work({ config, db, cipher, passwords: createPasswordHasher(), clock });
    } finally {
      await db.destroy();
    }
  } finally {
    await own?.stop();
  }
}
