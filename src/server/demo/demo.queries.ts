import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/open-database.ts';

const FACT = 'demo';

export async function hasDemoData(db: Database): Promise<boolean> {
  const fact = await db.selectFrom('shop_facts').select('name').where('name', '=', FACT).executeTakeFirst();
  return fact !== undefined;
}

/** Every text of the people that the demo was made with: names, addresses, reasons, and what else stands in their rows. */
export async function listDemoTexts(db: Database): Promise<Set<string>> {
  const { value } = await db
    .selectFrom('shop_facts')
    .select('value')
    .where('name', '=', FACT)
    .executeTakeFirstOrThrow();
  const madeAt = new Date(value);
  const rows: object[] = [
    ...(await db.selectFrom('users').selectAll().where('created_at', '<=', madeAt).execute()),
    ...(await db.selectFrom('orders').selectAll().where('created_at', '<=', madeAt).execute()),
    ...(await db.selectFrom('refunds').selectAll().where('created_at', '<=', madeAt).execute()),
    ...(await db.selectFrom('reviews').selectAll().where('created_at', '<=', madeAt).execute()),
  ];
  return new Set(rows.flatMap((row) => Object.values(row).filter((text) => typeof text === 'string')));
}

/**
 * Marks the database as a demo's; false when it is one already or has products. Of two processes that start at once
 * the second waits for the first one's transaction, and then does nothing.
 */
export async function claimDemo(trx: Transaction, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO shop_facts (name, value)
    SELECT ${FACT}, ${now.toISOString()} WHERE NOT EXISTS (SELECT FROM products)
    ON CONFLICT (name) DO NOTHING`.execute(trx);
  return numAffectedRows === 1n;
}
