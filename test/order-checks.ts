import type { Deps } from '../src/server/deps.ts';
import type { Database } from '../src/server/platform/database/database.ts';
import { PaymentRefused } from '../src/server/platform/payments/payments.ts';
import { checkBooksOf } from './books.ts';

/** The audit entries about an order, a product or an item, oldest first. */
export const readAuditOf = (db: Database, subjectId: string) =>
  db.selectFrom('audit_log').selectAll().where('subject_id', '=', subjectId).orderBy('id').execute();

/** The kinds of the open alerts about an order. */
export async function openAlertsOf(db: Database, orderId: string) {
  const alerts = db.selectFrom('alerts').select('kind').where('order_id', '=', orderId).where('ended_at', 'is', null);
  return (await alerts.execute()).map(({ kind }) => kind);
}

/** The faults that the check of the books finds in an order. */
export const faultsOf = async (deps: Deps, orderId: string) =>
  (await checkBooksOf(deps)).faults.filter(({ fault }) => fault.includes(orderId));

/** The shop while its provider refuses every refund. */
export const refusingRefunds = (deps: Deps): Deps => {
  const refundIntent = () => Promise.reject(new PaymentRefused('failed', 'The bank does not take it'));
  return { ...deps, payments: { ...deps.payments, refundIntent } };
};
