import { randomUUID } from 'node:crypto';
import { type Database, fieldOf, hasRow, insertRows, type Transaction } from '../platform/database/database.ts';
import { readDemoData } from './demo-data.ts';

const FACT = 'demo';

export const hasDemoData = (db: Database) => hasRow(db)`SELECT FROM shop_facts WHERE name = ${FACT}`;

/** Returns every text about the people in the demo's data: the texts in their rows, answers and messages. */
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
export const findFirstItem = (trx: Transaction, lineId: string) => fieldOf<string>(trx)`
    SELECT id FROM items WHERE order_line_id = ${lineId} AND unit = 1`;

/**
 * Marks the database as a demo. Returns false when it is already marked, or has users or products. Of two processes
 * that start at once, the second waits for the first one's transaction, and then does nothing.
 */
export const claimDemo = (trx: Transaction, now: Date) => hasRow(trx)`
  INSERT INTO shop_facts (name, value)
  SELECT ${FACT}, ${now.toISOString()} WHERE NOT EXISTS (SELECT FROM products) AND NOT EXISTS (SELECT FROM users)
  ON CONFLICT (name) DO NOTHING RETURNING name`;

/** An earlier payment of the demo. Money is integer cents of USD. */
export interface PastPayment {
  intentId: string;
  orderId: string;
  amountCents: number;
  receiptEmail: string;
  createdAt: Date;
  /** Refunded in full; null when not refunded. */
  refundedAt: Date | null;
  /** Null when captured. */
  cancelledAt: Date | null;
}

/** Inserts earlier payments into the test-mode provider, without events, because their orders exist already. */
export async function insertPastPayments(trx: Transaction, payments: PastPayment[]): Promise<void> {
  const intents = payments.map((payment) => {
    const captured = payment.cancelledAt === null;
    return {
      id: payment.intentId,
      client_secret: `${payment.intentId}_secret_${randomUUID().replaceAll('-', '')}`,
      status: captured ? ('succeeded' as const) : ('canceled' as const),
      version: 1,
      amount_cents: payment.amountCents,
      captured_cents: captured ? payment.amountCents : 0,
      refunded_cents: payment.refundedAt ? payment.amountCents : 0,
      currency: 'usd',
      metadata: { order_id: payment.orderId },
      receipt_email: payment.receiptEmail,
      ...(captured && {
        payment_method_id: payment.intentId.replace(/^pi/, 'pm'),
        card_brand: 'visa',
        card_last4: '4242',
        charge_id: payment.intentId.replace(/^pi/, 'ch'),
      }),
      canceled_at: payment.cancelledAt,
      cancellation_reason: captured ? null : 'abandoned',
      created_at: payment.createdAt,
    };
  });
  const refunds = payments.flatMap(({ intentId, amountCents, refundedAt }) =>
    refundedAt
      ? [{ id: intentId.replace(/^pi/, 're'), intent_id: intentId, amount_cents: amountCents, created_at: refundedAt }]
      : [],
  );
  await insertRows(trx, 'test_mode_intents', intents);
  await insertRows(trx, 'test_mode_refunds', refunds);
}
