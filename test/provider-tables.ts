import { sql } from 'kysely';
import type { Database } from '../src/server/platform/database/database.ts';

const PROVIDER_TABLES = [
  'test_mode_intents',
  'test_mode_claims',
  'test_mode_refunds',
  'test_mode_events',
  'test_mode_idempotency_keys',
];

/** Copies the provider's tables from a lost shop to the restored one: the provider itself has lost nothing. */
export async function copyProvider(from: Database, to: Database): Promise<void> {
  await sql`TRUNCATE ${sql.raw(PROVIDER_TABLES.join(', '))}`.execute(to);
  for (const name of PROVIDER_TABLES) {
    const table = sql.table(name);
    const { rows } = await sql<{ all: object[] }>`
      SELECT coalesce(jsonb_agg(to_jsonb(one)), '[]') AS all FROM ${table} AS one`.execute(from);
    await sql`
      INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, ${JSON.stringify(rows[0]?.all)})`.execute(
      to,
    );
  }
}
