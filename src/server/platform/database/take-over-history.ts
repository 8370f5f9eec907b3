import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { StartError } from '../start-error.ts';
import { describeSchema } from './describe-schema.ts';
import { type Migration, migrationsFolder } from './migration-files.ts';

const EXPECTED_SCHEMA = 'kedai_expected';

/**
 * Takes over a history without checksums, in the caller's transaction. Until checksums were kept, 0001, 0004 and 0005 were
 * edited after databases had been made with them; a script beside them brings what an earlier text made to what the
 * present text makes. Then the schema is compared with one that is made anew, and the checksums are entered.
 */
export async function takeOverHistory(
  client: pg.Client,
  applied: Migration[],
  unchecked: Migration[],
): Promise<void> {
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

/** What the migrations make and this database does not have. What an operator has added, say an index, may stay. */
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
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw refusal(error.message);
  }
}

const refusal = (problem: string) =>
  new StartError(
    `The database is not one that a version of the shop has made (${problem}): restore a backup, or use another database.`,
  );
