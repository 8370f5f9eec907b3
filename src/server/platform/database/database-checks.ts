import { sql } from 'kysely';
import type { Migration } from './migration-files.ts';
import type { Database } from './open-database.ts';

export async function answers(db: Database): Promise<boolean> {
  return (await sql`SELECT 1`.execute(db)).rows.length === 1;
}

/**
 * Whether the database has every migration of this code, unchanged. It may have newer ones: in a rolling upgrade the
 * older processes serve on until they are replaced.
 */
export async function hasEveryMigration(db: Database, migrations: Migration[]): Promise<boolean> {
  const { rows } = await sql<Migration>`SELECT name, checksum FROM schema_migrations`.execute(db);
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  return migrations.every(({ name, checksum }) => applied.get(name) === checksum);
}
