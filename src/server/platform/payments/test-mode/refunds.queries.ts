import type { Database } from '../../database/open-database.ts';
import type { TestModeRefundRow } from '../../database/test-mode-tables.ts';

/** With what a refund's answer says about its charge. */
export type RefundAndCharge = TestModeRefundRow & { charge_id: string | null; currency: string };

const refunds = (db: Database) =>
  db
    .selectFrom('test_mode_refunds as refund')
    .innerJoin('test_mode_intents as intent', 'intent.id', 'refund.intent_id')
    .selectAll('refund')
    .select(['intent.charge_id', 'intent.currency']);

export async function findRefund(db: Database, input: { id: string }): Promise<RefundAndCharge | undefined> {
  return refunds(db).where('refund.id', '=', input.id).executeTakeFirst();
}

/** Newest first. */
export async function listRefunds(
  db: Database,
  input: { intentId: string; limit: number },
): Promise<RefundAndCharge[]> {
  return refunds(db)
    .where('refund.intent_id', '=', input.intentId)
    .orderBy('refund.created_at', 'desc')
    .orderBy('refund.id', 'desc')
    .limit(input.limit)
    .execute();
}
