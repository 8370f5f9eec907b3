import { sql } from 'kysely';
import { type Database, type DatabaseOptions, openDatabase } from './open-database.ts';

// A restored database keeps the shop's id, and also has the time of the backup and an id of the restore.
const IDENTITY = `
  SELECT name, value FROM shop_facts WHERE name IN ('shop-id', 'restored-backup-of', 'restore-id') ORDER BY name`;

/**
 * Opens the replica without waiting for it: if it is unavailable, the catalogue fails, but buyers can still pay. The
 * same holds for a replica of a different database, e.g. of the shop before a restore.
 */
export async function openReplica(
  connectionString: string,
  primary: Database,
  options: DatabaseOptions,
): Promise<Database> {
  const { rows: expected } = await sql.raw(IDENTITY).execute(primary);
  return openDatabase(connectionString, {
    ...options,
    verify: async (client) => {
      const { rows } = await client.query(IDENTITY);
      if (JSON.stringify(rows) === JSON.stringify(expected)) return;
      throw new Error('DATABASE_READ_URL leads to a replica of another database than DATABASE_URL');
    },
  });
}
