import pg from 'pg';
import { errorCodeOf, reasonOf, StartError } from '../system-errors.ts';
import { withConnection } from './connections.ts';
import { type Database, hasRow, rowsOf } from './database.ts';
import { isTransientFailure } from './database-errors.ts';
import { type Migration, readMigrations, takeOverHistory } from './migration-history.ts';

// An arbitrary constant, the same in every process.
const MIGRATION_LOCK = 7_203_114;

// A transaction lock, because a pooler would lose a session lock. It may wait for the migrations of another process.
// The timeout for locks on tables is shorter, because all users of a table queue behind this transaction. The statement
// timeout is off because a migration may take longer than the role's limit.
const LOCK_TIMEOUT = '10s';
const beginAlone = `
  BEGIN;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL lock_timeout = '60s';
  SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
  SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`;

/**
 * Applies the missing migrations, one process at a time in one transaction: after a failed start the previous version
 * can still use the database. Throws StartError for an unknown history, or a failure.
 */
export const migrate = (connectionString: string, migrations = readMigrations()): Promise<void> =>
  withMigrationLock(connectionString, (client) => bringUpToDate(client, migrations));

/**
 * Applies the migrations to a new database only: a migration cannot be undone, and processes of an older version may
 * still use an existing database. Throws StartError when an existing database lacks a migration.
 */
export const migrateNew = (connectionString: string): Promise<void> =>
  withMigrationLock(connectionString, async (client) => {
    const migrations = readMigrations();
    const applied = await readHistory(client);
    if (applied.size > 0 && !hasAll(applied, migrations)) {
      throw new StartError('The database lacks migrations of this version: run "npm run migrate" first.');
    }
    await bringUpToDate(client, migrations);
  });

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Runs `work` in one transaction, one process at a time. Throws StartError for a transient failure, such as a lock that is
 * not granted, a deadlock or a full disk, and for a user that lacks a privilege.
 */
export async function withMigrationLock(connectionString: string, work: (client: pg.Client) => Promise<void>) {
  await withConnection(connectionString, async (client) => {
    try {
      await client.query(beginAlone);
      await work(client);
      await client.query('COMMIT');
    } catch (error) {
      if (errorCodeOf(error) === INSUFFICIENT_PRIVILEGE) {
        const remedy = 'make it the owner of the database and of its tables.';
        throw new StartError(`DATABASE_URL has a user who may not change the database (${reasonOf(error)}): ${remedy}`);
      }
      if (!isTransientFailure(error)) throw error;
      throw new StartError(`The database could not be brought up to date now (${reasonOf(error)}): try again.`);
    }
  });
}

/** Applies the missing migrations in the caller's transaction. */
export async function bringUpToDate(client: pg.Client, migrations: Migration[]): Promise<void> {
  const applied = await readHistory(client);
  assertKnownHistory(applied, migrations);
  const unchecked = migrations.filter(({ name }) => applied.get(name) === null);
  const missing = migrations.slice(applied.size);
  if (unchecked.length > 0 || missing.length > 0) await lockTables(client, missing);
  if (unchecked.length > 0) await takeOverHistory(client, migrations.slice(0, applied.size), unchecked);
  for (const migration of missing) await apply(client, migration);
}

// In the sequence of a purchase (docs/architecture.md, The sequence of locks); its mail comes last.
const busyTables = ['orders', 'order_lines', 'products', 'items', 'refunds', 'mails'];

// Together as long as for any other lock. By default PostgreSQL ends a deadlock after a second: the migration gives way
// before that, so that no sale fails.
const LOCK_ATTEMPTS = 12;
const LOCK_LIMIT = '800ms';

/**
 * Locks the tables of a purchase, and the others that the migrations name, as far as they exist before the first
 * migration. Migrations lock tables in any sequence, which could deadlock with an older process that is selling. That
 * process does not lock tables in one sequence, either: it locks the products of a new order first, the links of an
 * account before its order, and a mail while another of its transactions reads the order. So if a lock is not granted
 * soon, those that were granted are released for the waiting sales, and all are requested again.
 */
async function lockTables(client: pg.Client, missing: Migration[]): Promise<void> {
  const texts = missing.map(({ sql }) => sql).join('\n');
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'
      AND relname = ANY ($1::text[] || regexp_split_to_array($2, '\\W+'))
    ORDER BY array_position($1::text[], relname::text), relname`,
    [busyTables, texts],
  );
  const names = rows.map(({ name }) => name).join(', ');
  if (names === '') return;
  // Sales do not wait for these locks. An autovacuum ends for a lock that has waited for a second, which is longer than
  // those below wait, and begins no more while these are held.
  await client.query(`LOCK TABLE ${names} IN SHARE UPDATE EXCLUSIVE MODE`);
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`SAVEPOINT unlocked; SET LOCAL lock_timeout = '${LOCK_LIMIT}'`);
    try {
      await client.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      return;
    } catch (error) {
      if (!NOT_GRANTED.includes(errorCodeOf(error)) || attempt === LOCK_ATTEMPTS) throw error;
      await client.query('ROLLBACK TO SAVEPOINT unlocked');
    }
  }
}

// A lock that was not granted in time, and a deadlock.
const NOT_GRANTED = ['55P03', '40P01'];

/** The checksums of the applied migrations by name; null for those applied before checksums were stored. */
async function readHistory(client: pg.Client): Promise<Map<string, string | null>> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  try {
    // ALTER TABLE would wait for a running backup, even if the column exists.
    const { rowCount } = await client.query(HAS_CHECKSUM);
    if (rowCount === 0) await client.query('ALTER TABLE schema_migrations ADD COLUMN checksum text');
    const { rows } = await client.query<{ name: string; checksum: string | null }>(
      'SELECT name, checksum FROM schema_migrations',
    );
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (error) {
    if (errorCodeOf(error) !== UNDEFINED_COLUMN) throw error;
    throw new StartError(
      'The database has a table schema_migrations that is not the shop’s: give the shop a database of its own.',
    );
  }
}

const HAS_CHECKSUM = `
  SELECT FROM pg_attribute
  WHERE attrelid = 'schema_migrations'::regclass AND attname = 'checksum' AND NOT attisdropped`;

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
    // A transient failure or a missing privilege is not the migration's fault.
    if (!(error instanceof pg.DatabaseError) || isTransientFailure(error)) throw error;
    if (error.code === INSUFFICIENT_PRIVILEGE) throw error;
    throw new StartError(
      `The migration ${name} failed and nothing was changed (${error.message}): restore a backup, or use another database.`,
    );
  }
  await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
}

export const answers = (db: Database): Promise<boolean> => hasRow(db)`SELECT`;

/** Whether the database has every migration of this version, unchanged. A rolling upgrade may have added newer ones. */
export async function hasEveryMigration(db: Database, migrations: Migration[]): Promise<boolean> {
  const rows = await rowsOf<Migration>(db)`SELECT name, checksum FROM schema_migrations`;
  return hasAll(new Map(rows.map(({ name, checksum }) => [name, checksum])), migrations);
}

const hasAll = (applied: Map<string, string | null>, migrations: Migration[]): boolean =>
  migrations.every(({ name, checksum }) => applied.get(name) === checksum);
