import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { StartError } from '../system-errors.ts';
import { isTransientFailure } from './database-errors.ts';

export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the text with LF line ends, in hex. */
  checksum: string;
}

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The migrations in the order of the folder's `checksums.txt`, to which every new one appends its line. */
export function readMigrations(): Migration[] {
  const [problem] = findMigrationProblems(migrationsFolder);
  if (problem) throw new Error(problem);
  return readList(migrationsFolder).map(({ name }) => readMigration(migrationsFolder, name));
}

/** The differences between a migrations folder and its list, each a line that says what to do. */
export function findMigrationProblems(folder: string): string[] {
  const listed = readList(folder);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const unlisted = files
    .filter((name) => !listed.some((line) => line.name === name))
    .map((name) => {
      const { checksum } = readMigration(folder, name);
      return `${name} is not on the list: add the line "${checksum}  ${name}" at the end of checksums.txt`;
    });
  const changed = listed.flatMap(({ name, checksum }) => {
    if (!files.includes(name)) return [`${name} is on the list and is missing`];
    if (readMigration(folder, name).checksum === checksum) return [];
    return [`${name} is not as it landed: restore it, and make the change in a new migration`];
  });
  return [...unlisted, ...changed];
}

function readMigration(folder: string, name: string): Migration {
  const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** Reads checksums.txt, whose lines are those of sha256sum. Returns an empty list when there is no such file. */
function readList(folder: string): { name: string; checksum: string }[] {
  const file = join(folder, 'checksums.txt');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const [checksum = '', name = ''] = line.split(/\s+/);
      return { name, checksum };
    });
}

const EXPECTED_SCHEMA = 'kedai_expected';

/**
 * Adds the checksums to a database that was created before checksums were stored. Back then, 0001, 0004 and 0005 were
 * edited after databases had been created with them. `earlier-texts` brings such a database to the present text; then
 * its schema is compared with that of a new database. Throws StartError for a database that lacks a part.
 */
export async function takeOverHistory(client: pg.Client, applied: Migration[], unchecked: Migration[]): Promise<void> {
  for (const { name } of unchecked) {
    const script = join(migrationsFolder, 'earlier-texts', name);
    if (existsSync(script)) await run(client, readFileSync(script, 'utf8'));
  }
  const [missing] = await findMissing(client, applied);
  if (missing !== undefined) throw refusal(`it lacks the ${missing}`);
  for (const { name, checksum } of unchecked) {
    await client.query('UPDATE schema_migrations SET checksum = $2 WHERE name = $1', [name, checksum]);
  }
}

/** Parts of the migrations' schema that this database lacks. Additions by an operator, e.g. an index, are allowed. */
async function findMissing(client: pg.Client, applied: Migration[]): Promise<string[]> {
  const actual = new Set(await describeSchema(client));
  await client.query('SAVEPOINT expected');
  await client.query(`CREATE SCHEMA ${EXPECTED_SCHEMA}`);
  await client.query(`SELECT set_config('search_path', $1 || ', ' || current_setting('search_path'), true)`, [
    EXPECTED_SCHEMA,
  ]);
  for (const { sql } of applied) await client.query(sql);
  const expected = await describeSchema(client);
  await client.query('ROLLBACK TO SAVEPOINT expected');
  return expected.filter((line) => !actual.has(line));
}

async function run(client: pg.Client, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isTransientFailure(error)) throw error;
    throw refusal(error.message);
  }
}

const refusal = (problem: string) =>
  new StartError(
    `The database is not one that a version of the shop has made (${problem}): restore a backup, or use another database.`,
  );

/** The condition in SQL that an object is in the shop's schema, and not of an extension. */
export const isOwn = (catalog: keyof typeof namespaceIn): string =>
  `${namespaceIn[catalog]} = current_schema()::regnamespace AND NOT EXISTS (
    SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${catalog}.oid AND deptype = 'e')`;

const namespaceIn = { pg_class: 'relnamespace', pg_proc: 'pronamespace', pg_constraint: 'connamespace' };

// Omits objects of extensions, and NOT NULL constraints, which are in the line of their column (PostgreSQL 18 lists
// them as constraints, too).
const SCHEMA_LINES = `
  WITH own_tables AS (
    SELECT oid, relname, relpersistence, reloptions FROM pg_class
    WHERE relkind = 'r' AND relname <> 'schema_migrations' AND ${isOwn('pg_class')}
  ), lines (line) AS (
    SELECT format('table %s %s %s', relname, relpersistence, reloptions) FROM own_tables
    UNION ALL
    SELECT format('column %s.%s %s%s %s %s', relname, attname, format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN ' NOT NULL' END, attidentity, pg_get_expr(adbin, adrelid))
    FROM own_tables JOIN pg_attribute ON attrelid = own_tables.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT format('constraint %s of %s %s', conname, relname, pg_get_constraintdef(pg_constraint.oid))
    FROM own_tables JOIN pg_constraint ON conrelid = own_tables.oid WHERE contype <> 'n'
    UNION ALL
    SELECT format('index of %s %s', relname, pg_get_indexdef(indexrelid))
    FROM own_tables JOIN pg_index ON indrelid = own_tables.oid
    UNION ALL
    SELECT format('trigger of %s %s', relname, pg_get_triggerdef(pg_trigger.oid))
    FROM own_tables JOIN pg_trigger ON tgrelid = own_tables.oid WHERE NOT tgisinternal
    UNION ALL
    SELECT format('function %s(%s) %s %s %s', proname, pg_get_function_identity_arguments(oid),
      pg_get_function_result(oid), provolatile, replace(prosrc, E'\\r', ''))
    FROM pg_proc WHERE ${isOwn('pg_proc')}
  )
  SELECT replace(line, quote_ident(current_schema()) || '.', '') AS line FROM lines ORDER BY line COLLATE "C"`;

/** The parts of the current schema, sorted, each as a text. The order of a table's columns is ignored. */
export async function describeSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(SCHEMA_LINES);
  return rows.map(({ line }) => line);
}
