import { sql } from 'kysely';
import pg from 'pg';
import { StartError } from '../start-error.ts';
import { withConnection } from './connections.ts';
import { type Migration, readMigrations, takeOverHistory } from './migration-history.ts';
import type { Database } from './open-database.ts';

// Any constant will do; processes that start together must use the same one.
const MIGRATION_LOCK = 7_203_114;

// The lock is held until the end of the transaction: one of the session would be lost behind a pooler. Whoever waits for
// it waits for the migrations of another process; a table that is locked meanwhile is given up sooner, as all who use it
// wait behind us. A migration may take longer than what the role allows its statements.
const beginAlone = `
  BEGIN;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL lock_timeout = '60s';
  SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
  SET LOCAL lock_timeout = '10s'`;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies the migrations that this database has not seen, one process at a time and in one transaction: a start that
 * fails leaves the database to the version before. Throws StartError when the database's history is not a first part of
 * ours, when a migration fails, and when it cannot get its locks.
 */
export async function migrate(connectionString: string, migrations = readMigrations()): Promise<void> {
  await withConnection(connectionString, async (client) => {
    try {
      await client.query(beginAlone);
      await bringUpToDate(client, migrations);
      await client.query('COMMIT');
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
      throw new StartError(
        'The database could not be brought up to date, as something else holds a lock on it: start the shop again.',
      );
    }
  });
}

async function bringUpToDate(client: pg.Client, migrations: Migration[]): Promise<void> {
  const applied = await readHistory(client);
  assertKnownHistory(applied, migrations);
  const unchecked = migrations.filter(({ name }) => applied.get(name) === null);
  if (unchecked.length > 0) await takeOverHistory(client, migrations.slice(0, applied.size), unchecked);
  for (const migration of migrations.slice(applied.size)) await apply(client, migration);
}

/** The checksums of what was applied by name; null for what was applied before checksums were kept. */
async function readHistory(client: pg.Client): Promise<Map<string, string | null>> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  try {
    await client.query('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS checksum text');
    const { rows } = await client.query<{ name: string; checksum: string | null }>(
      'SELECT name, checksum FROM schema_migrations',
    );
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNDEFINED_COLUMN) throw error;
    throw new StartError(
      'The database has a table schema_migrations that is not the shop’s: give the shop a database of its own.',
    );
  }
}

const UNDEFINED_COLUMN = '42703';

function assertKnownHistory(applied: Map<string, string | null>, migrations: Migration[]): void {
  const newer = [...applied.keys()].sort().find((name) => !migrations.some((known) => known.name === name));
  if (newer !== undefined) {
    throw new StartError(
      `The database is newer than this version of the shop, which does not know its migration ${newer}: start the version that made it, or restore a backup from before.`,
    );
  }
  const missing = migrations.slice(0, applied.size).find(({ name }) => !applied.has(name));
  if (missing) {
    throw new StartError(
      `The database lacks the migration ${missing.name}, although later ones were applied: restore a backup, or use another database.`,
    );
  }
  const changed = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (changed) {
    throw new StartError(
      `The database was made with another text of the migration ${changed.name} than this version has: start the version that made it, or restore a backup.`,
    );
  }
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    // What PostgreSQL says of a failed statement; a broken connection is not the migration's fault.
    if (!(error instanceof pg.DatabaseError) || error.code === LOCK_NOT_AVAILABLE) throw error;
    throw new StartError(
      `The migration ${name} failed and nothing was changed (${error.message}): restore a backup, or use another database.`,
    );
  }
  await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
}

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
