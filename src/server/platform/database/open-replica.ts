import { sql } from 'kysely';
import { type Database, type DatabaseOptions, openDatabase } from './open-database.ts';

// A restored database keeps the id of its shop, and has the backup's time and an id of the restore besides.
const IDENTITY = `
  SELECT name, value FROM shop_facts WHERE name IN ('shop-id', 'restored-backup-of', 'restore-id') ORDER BY name`;

/**
 * Opens the replica without waiting for it: while it is away, the catalogue fails, but the shop still sells to those who
 * are paying. So it is with the replica of another database, e.g. that of the shop before a restore.
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
