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
  page: {
    intentId: string | undefined;
    createdSince: Date | undefined;
    after: string | undefined;
    limit: number;
  },
): Promise<RefundAndCharge[]> {
  // Ids of one kind grow with time (ids.ts).
  let query = refunds(db).orderBy('refund.id', 'desc').limit(page.limit);
  if (page.intentId !== undefined) query = query.where('refund.intent_id', '=', page.intentId);
  if (page.createdSince !== undefined) query = query.where('refund.created_at', '>=', page.createdSince);
  if (page.after !== undefined) query = query.where('refund.id', '<', page.after);
  return query.execute();
}
