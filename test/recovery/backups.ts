import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { NamedKeys } from '../../src/server/platform/crypto/named-keys.ts';
import { openBackup, storeBackup } from '../../src/server/platform/database/backup/backup-file.ts';
import { dumpDatabase } from '../../src/server/platform/database/backup/dump-database.ts';
import { loadDatabase } from '../../src/server/platform/database/backup/load-database.ts';
import { createEmptyDatabase, type TestDatabase } from '../database.ts';

/** Makes backups for a test, in a folder that `remove` deletes. */
export function makeBackupFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-backup-'));
  let made = 0;
  return {
    path: (name: string) => join(folder, name),
    backUp: async (database: Pick<TestDatabase, 'connectionString'>, masterKeys: NamedKeys) => {
      made += 1;
      const file = join(folder, `${made}.backup`);
      const done = await dumpDatabase(database.connectionString, masterKeys, (bytes) => storeBackup(file, bytes));
      return { file, ...done };
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Loads a backup into a new database. `secure` does what makes a restored shop safe; by default nothing does. */
export async function loadIntoNew(
  file: string,
  secure: (client: pg.Client) => Promise<void> = async () => undefined,
): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  try {
    await loadDatabase(database.connectionString, await openBackup(file), secure);
  } catch (error) {
    await database.drop();
    throw error;
  }
  return database;
}

/** Returns a checksum of each table's rows, which does not depend on their stored sequence. */
export async function checksumsOf(database: Pick<TestDatabase, 'connectionString'>, names: readonly string[]) {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    const checksums: Record<string, string> = {};
    for (const name of names) {
      const { rows } = await client.query(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(row, chr(10) ORDER BY row)), '') AS checksum
        FROM (SELECT one::text AS row FROM ${name} AS one) AS rows`,
      );
      checksums[name] = rows[0].checksum;
    }
    return checksums;
  } finally {
    await client.end();
  }
}
