import { type Config, readConfig } from './config.ts';
import type { Deps } from './deps.ts';
import { openItemCipher } from './platform/crypto/key-ring.ts';
import { createPasswordHasher } from './platform/crypto/password-hasher.ts';
import { checkConnection } from './platform/database/connections.ts';
import { openDatabaseClock } from './platform/database/database-clock.ts';
import { startEmbeddedServer } from './platform/database/embedded/embedded-server.ts';
import { migrate } from './platform/database/migrate.ts';
import { openDatabase } from './platform/database/open-database.ts';
import { createLog } from './platform/log.ts';

/** What a command of an operator works with. */
export type CommandDeps = Pick<Deps, 'config' | 'db' | 'cipher' | 'passwords' | 'clock'>;

/**
 * Runs the work of a command on the shop's database, which is opened as the shop opens it and closed afterwards. Throws
 * StartError where the shop would not start either; with the shop's own database that is also while the shop is running.
 */
export async function withShopDatabase<T>(
  work: (deps: CommandDeps) => Promise<T>,
  config: Config = readConfig(),
): Promise<T> {
  if (config.databaseUrl !== undefined) await checkConnection(config.databaseUrl);
  const own = config.databaseUrl === undefined ? await startEmbeddedServer(config) : undefined;
  try {
    const connectionString = config.databaseUrl ?? own?.connectionString ?? '';
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
