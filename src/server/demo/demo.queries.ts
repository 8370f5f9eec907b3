import { type Database, hasRow, type Transaction } from '../platform/database/open-database.ts';
import { readDemoData } from './demo-data.ts';

const FACT = 'demo';

export const hasDemoData = (db: Database) => hasRow(db)`SELECT FROM shop_facts WHERE name = ${FACT}`;

/**
 * Returns every text of the people with whom the demo was made: the texts in their rows, their answers and their
 * messages.
 */
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
  // Answers and messages are encrypted in the database.
  const { orders, reports } = readDemoData();
  const answers = orders.flatMap((order) => Object.values(order.answers ?? {}).flatMap((one) => Object.values(one)));
  const messages = reports.flatMap(({ text, answer }) => [text, answer.text]);
  const texts = rows.flatMap((row) => Object.values(row).filter((text) => typeof text === 'string'));
  return new Set([...texts, ...answers, ...messages]);
}

/** Finds the item that was delivered for the first unit of a line. */
export const findFirstItem = (trx: Transaction, lineId: string) =>
  trx
    .selectFrom('items')
    .select('id')
    .where('order_line_id', '=', lineId)
    .where('unit', '=', 1)
    .executeTakeFirstOrThrow();

/**
 * Marks the database as a demo's; false when it is one already, or has users or products. Of two processes that start at once
 * the second waits for the first one's transaction, and then does nothing.
 */
export const claimDemo = (trx: Transaction, now: Date) => hasRow(trx)`
  INSERT INTO shop_facts (name, value)
  SELECT ${FACT}, ${now.toISOString()} WHERE NOT EXISTS (SELECT FROM products) AND NOT EXISTS (SELECT FROM users)
  ON CONFLICT (name) DO NOTHING RETURNING name`;
