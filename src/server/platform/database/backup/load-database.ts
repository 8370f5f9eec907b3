import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { NamedKeys } from '../../crypto/named-keys.ts';
import { StartError } from '../../system-errors.ts';
import { isTransientFailure } from '../database-errors.ts';
import { bringUpToDate, withMigrationLock } from '../migrate.ts';
import { isOwn, type Migration, readMigrations } from '../migration-history.ts';
import type { BackupManifest, OpenedBackup } from './backup-file.ts';
import { fingerprintOf, listing } from './dump-database.ts';

/**
 * Loads a backup into a database that is empty or contains only what migrations create: recreates the schema at the
 * backup's version, loads the rows, brings the schema to this version, and calls `secure` to change what must not stay
 * as it was. Everything happens in one transaction, so nobody sees a part of it. Throws StartError with nothing
 * changed.
 */
export async function loadDatabase(
  connectionString: string,
  backup: OpenedBackup,
  secure: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const migrations = readMigrations();
  const known = migrationsOf(backup.manifest, migrations);
  await withMigrationLock(connectionString, async (client) => {
    await assertEmpty(client);
    await client.query(DROP_SCHEMA);
    await bringUpToDate(client, known);
    await loadTables(client, backup);
    await bringUpToDate(client, migrations);
    await secure(client);
    // Give the planner statistics of the loaded rows at once.
    await client.query('ANALYZE');
  });
}

/** Throws StartError if a master key of the backup is missing, or if MASTER_KEYS has another key under its name. */
export function assertMasterKeys({ masterKeys }: BackupManifest, known: NamedKeys): void {
  for (const { id, fingerprint } of masterKeys) {
    const key = known.find((one) => one.id === id);
    if (key && fingerprintOf(key) === fingerprint) continue;
    const problem = key ? 'has another key under the name' : 'lacks the key';
    throw new StartError(
      `MASTER_KEYS ${problem} "${id}" (fingerprint ${fingerprint}), without which this backup opens nothing: set it, or put the secrets.json of that shop into the data folder. Nothing was changed.`,
    );
  }
}

/** Returns the migrations that the backup's database had. Throws StartError for one that this version does not know. */
function migrationsOf(manifest: BackupManifest, migrations: Migration[]): Migration[] {
  const unknown = manifest.migrations.find(
    ({ name, checksum }) => !migrations.some((known) => known.name === name && known.checksum === checksum),
  );
  if (unknown) {
    throw new StartError(
      `The backup was made by version ${manifest.shopVersion} with the migration ${unknown.name}, which this version does not know: use that version, or a later one.`,
    );
  }
  return migrations.filter(({ name }) => manifest.migrations.some((one) => one.name === name));
}

// Tables with rows that migrations insert.
const MADE_BY_MIGRATIONS = ['schema_migrations', 'shop_facts', 'receipt_series', 'notice_settings'];

async function assertEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm') AND ${isOwn('pg_class')} ORDER BY relname`,
  );
  const isShops = rows.some(({ name }) => name === 'schema_migrations') || rows.length === 0;
  for (const { name } of rows) {
    if (isShops && MADE_BY_MIGRATIONS.includes(name)) continue;
    const found = isShops
      ? await client.query(`SELECT FROM ${client.escapeIdentifier(name)} LIMIT 1`)
      : { rowCount: 1 };
    if (!found.rowCount) continue;
    throw new StartError(
      `The database is not empty (it has a table ${name} with rows): restore into an empty one, with DATABASE_URL or another DATA_DIR. Nothing was changed.`,
    );
  }
}

/**
 * Drops what the migrations created, so that they can create it again up to the backup's version. A function that takes
 * a table's row is dropped together with the table.
 */
const DROP_SCHEMA = `
  DO $$
  DECLARE statement text;
  BEGIN
    FOR statement IN
      SELECT format('DROP TABLE %s CASCADE', oid::regclass) FROM pg_class
      WHERE relkind = 'r' AND ${isOwn('pg_class')}
      UNION ALL
      SELECT format('DROP ROUTINE %s CASCADE', oid::regprocedure) FROM pg_proc
      WHERE ${isOwn('pg_proc')} AND NOT EXISTS (SELECT FROM pg_type WHERE pg_type.oid = ANY (proargtypes) AND typrelid <> 0)
    LOOP
      EXECUTE statement;
    END LOOP;
  END $$`;

/**
 * Loads the rows without foreign keys and triggers: the tables may be loaded in any sequence, and the backup includes
 * what triggers would write. The foreign keys are checked when they are created again.
 */
async function loadTables(client: pg.Client, backup: OpenedBackup): Promise<void> {
  const { tables, sequences } = backup.manifest;
  const { rows: foreignKeys } = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND ${isOwn('pg_constraint')}`,
  );
  for (const { table, name } of foreignKeys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const loaded = new Map<string, number>();
  for (const { name, columns } of tables) {
    const table = client.escapeIdentifier(name);
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER; DELETE FROM ${table}`);
    const into = client.query(copyFrom(`COPY ${listing(client, name, columns)} FROM STDIN`));
    await pipeline(Readable.from(backup.nextTable(), { objectMode: false }), into).catch(explain);
    await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    loaded.set(name, into.rowCount);
  }
  const expected = await backup.checkSeal();
  const wrong = tables.find(({ name }) => loaded.get(name) !== expected.get(name));
  if (wrong) throw new StartError(`The backup was changed: ${wrong.name} has other rows. Nothing was changed.`);
  for (const { table, name, definition } of foreignKeys) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`).catch(explain);
  }
  for (const { name, value, isCalled } of sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [client.escapeIdentifier(name), value, isCalled]);
  }
}

function explain(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || isTransientFailure(error)) throw error;
  throw new StartError(`The backup does not fit its own schema (${error.message}). Nothing was changed.`, {
    cause: error,
  });
}
