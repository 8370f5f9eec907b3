import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { readMigrations } from '../../src/server/platform/database/migration-history.ts';
import { createEmptyDatabase, type TestDatabase } from '../database.ts';

export type Row = Record<string, unknown>;

/** A demo of the version before 0016_one_product.sql: the rows of its tables, and the answers of its calls. */
interface OldDemo {
  /** The time of the demo. */
  now: string;
  /** The value of its MASTER_KEYS and of its JWT_KEYS. */
  keys: string;
  tables: { table: string; rows: Row[] }[];
  answers: { by: 'admin' | 'customer'; path: string; body: Row }[];
}

const fixture = new URL('../fixtures/demo-of-0015.json.br', import.meta.url);
export const old = JSON.parse(brotliDecompressSync(readFileSync(fixture)).toString()) as OldDemo;
export const oldRows = (table: string) => old.tables.find((one) => one.table === table)?.rows ?? [];

const migrations = readMigrations();
const before = migrations.filter(({ name }) => name <= '0015_refund_cards.sql');

/** Creates a database with the schema before the migration and the rows of the old demo. */
export async function createOldDemo(): Promise<{ database: TestDatabase; client: pg.Client }> {
  const database = await createEmptyDatabase();
  await migrate(database.connectionString, before);
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  // Switches foreign keys and triggers off: the rows fit each other, but their tables are filled in any sequence.
  await client.query('SET session_replication_role = replica');
  for (const { table, rows } of old.tables) {
    await client.query(`DELETE FROM ${table}`);
    await client.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  }
  for (const table of ['audit_log', 'reveals']) {
    await client.query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`);
  }
  await client.query('SET session_replication_role = DEFAULT');
  return { database, client };
}
