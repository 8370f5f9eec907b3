import { AppError } from '../../../shared/errors.ts';
import { orderNumber } from '../../../shared/order-words.ts';
import type { Deps } from '../../deps.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { readOrderHistory } from '../orders/admin-orders.queries.ts';
import { listReceipts } from '../receipts/receipts.queries.ts';
import { listDeliveredUnits } from './evidence.queries.ts';
import { renderEvidence } from './evidence-page.ts';

/**
 * Makes the evidence for a bank that has questioned a payment: one page of HTML to print, without the delivered
 * secrets. Writes an audit entry. Throws NOT_FOUND, and TRANSITION_REFUSED for an order without a claim of a bank.
 */
export async function makeEvidence(
  deps: Deps,
  { orderId, actor }: { orderId: string; actor: Actor },
): Promise<{ name: string; page: string }> {
  const history = await readOrderHistory(deps.db, orderId);
  if (!history) throw new AppError('NOT_FOUND', 'Order not found');
  const freezes = history.freezes.filter(({ cause }) => cause !== 'restore');
  if (freezes.length === 0) throw new AppError('TRANSITION_REFUSED', 'No bank has questioned this payment');
  const units = await listDeliveredUnits(deps.db, orderId);
  const [receipt] = await listReceipts(deps.db, orderId);
  const { storeName, publicUrl } = deps.config;
  const page = renderEvidence({ ...history, freezes, units, receipt, storeName, publicUrl, madeAt: deps.clock.now() });
  const summary = 'Downloaded the evidence for the bank';
  await deps.db
    .transaction()
    .execute((trx) => writeOrderAudit(deps, trx, { actor, orderId, action: 'order.evidence-downloaded', summary }));
  return { name: `evidence-${orderNumber(orderId)}.html`, page };
}
