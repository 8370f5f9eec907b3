import { createHash } from 'node:crypto';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { NamedKey, NamedKeys } from '../../crypto/named-keys.ts';
import { version } from '../../version.ts';
import { withConnection } from '../connections.ts';
import { isOwn } from '../migration-history.ts';
import { type BackupManifest, type BackupTable, writeBackup } from './backup-file.ts';

/**
 * Tables that a backup leaves out: counters of rate limits, which expire within a day, and `schema_migrations`, which
 * the manifest replaces. The job queue, in a schema of its own, is left out too, since its jobs would send mails again.
 */
const LEFT_OUT = ['rate_counts', 'rate_waits', 'schema_migrations'];

/** Identifies a master key for people who compare keys. 64 bits of a hash reveal nothing of 256 random bits. */
export const fingerprintOf = ({ key }: Pick<NamedKey, 'key'>): string =>
  createHash('sha256').update('kedai master key').update(key).digest('hex').slice(0, 16);

/** The same format of values from every server. No timeouts, because a backup may take longer than a statement may. */
const BEGIN = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL datestyle = 'ISO';
  SET LOCAL intervalstyle = 'iso_8601';
  SET LOCAL timezone = 'UTC';
  SET LOCAL bytea_output = 'hex';
  SET LOCAL extra_float_digits = 1`;

/** Writes a backup as of one moment. Only reads, so writers do not wait. `write` gets the bytes and sets the pace. */
export async function dumpDatabase(
  connectionString: string,
  masterKeys: NamedKeys,
  write: (bytes: AsyncGenerator<Buffer>) => Promise<void>,
) {
  return withConnection(connectionString, async (client) => {
    await beginWithLocks(client);
    const manifest = await readManifest(client, masterKeys);
    let rows = 0;
    await write(
      writeBackup(manifest, copyTables(client, manifest.tables), (table) => {
        rows += table.rows;
      }),
    );
    await client.query('COMMIT');
    return { manifest, rows };
  });
}

/**
 * Locks every table before the snapshot is taken, so that a migration waits for the backup. It could drop a column that
 * is about to be copied, or rewrite a table, which would then be empty in the older snapshot.
 */
async function beginWithLocks(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(OWN_TABLES, [LEFT_OUT]);
  const names = rows.map(({ name }) => client.escapeIdentifier(name)).join(', ');
  await client.query(BEGIN);
  await client.query(`LOCK TABLE ${names} IN ACCESS SHARE MODE`);
}

async function readManifest(client: pg.Client, masterKeys: NamedKeys): Promise<BackupManifest> {
  const read = async <Row extends object>(statement: string, values: unknown[] = []) =>
    (await client.query<Row>(statement, values)).rows;
  const [{ now } = { now: new Date() }] = await read<{ now: Date }>('SELECT now()');
  const tables = await read<{ name: string; columns: string[] }>(OWN_TABLES, [LEFT_OUT]);
  const sequences: BackupManifest['sequences'] = [];
  for (const { name } of await read<{ name: string }>(OWN_SEQUENCES)) {
    const [state] = await read<{ value: string; called: boolean }>(
      `SELECT last_value::text AS value, is_called AS called FROM ${client.escapeIdentifier(name)}`,
    );
    if (state) sequences.push({ name, value: state.value, isCalled: state.called });
  }
  const needed = await read<{ id: string }>('SELECT DISTINCT master_key_id AS id FROM data_keys ORDER BY 1');
  return {
    kedaiBackup: 1,
    takenAt: now.toISOString(),
    shopVersion: version,
    migrations: await read<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM schema_migrations ORDER BY name COLLATE "C"',
    ),
    masterKeys: needed.flatMap(({ id }) =>
      masterKeys.filter((key) => key.id === id).map((key) => ({ id, fingerprint: fingerprintOf(key) })),
    ),
    tables,
    sequences,
  };
}

const OWN_TABLES = `
  SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
  WHERE relkind = 'r' AND ${isOwn('pg_class')} AND relname <> ALL ($1::text[])
  GROUP BY relname ORDER BY relname`;

const OWN_SEQUENCES = `SELECT relname AS name FROM pg_class WHERE relkind = 'S' AND ${isOwn('pg_class')} ORDER BY relname`;

async function* copyTables(client: pg.Client, tables: BackupManifest['tables']): AsyncGenerator<BackupTable> {
  for (const { name, columns } of tables) {
    const content = client.query(copyTo(`COPY ${listing(client, name, columns)} TO STDOUT`));
    yield { name, content, rows: () => content.rowCount };
  }
}

/** Formats a table and its columns for COPY. */
export const listing = (client: pg.Client, name: string, columns: string[]): string =>
  `${client.escapeIdentifier(name)} (${columns.map((column) => client.escapeIdentifier(column)).join(', ')})`;
