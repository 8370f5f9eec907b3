import { MINUTE_MS } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { endAlertsOfOrder, raiseAlert } from '../admin/alerts.queries.ts';
import { lockOrder } from '../orders/orders.queries.ts';
import { MAX_HOLD_MS } from './holds.queries.ts';

// The alert KedaiPaidNotDelivered of Prometheus waits as long (deploy/monitoring/alerts.yml).
const LATE_AFTER_MS = MAX_HOLD_MS + 5 * MINUTE_MS;

type Dated = Pick<OrderRow, 'id' | 'created_at'>;

const isLate = ({ created_at: createdAt }: Dated, now: Date) => now.getTime() - createdAt.getTime() > LATE_AFTER_MS;

/**
 * Raises an alert about an old order that is still `capturing` after the sweeper's visit, because its card was
 * accepted.
 */
export async function alertIfLate(deps: Deps, visited: Dated & Pick<OrderRow, 'state'>): Promise<void> {
  if (visited.state !== 'capturing' || !isLate(visited, deps.clock.now())) return;
  await deps.db.transaction().execute(async (trx) => {
    const { id, state } = await lockOrder(trx, visited.id);
    if (state !== 'capturing') return;
    const message = 'a paid order is not delivered';
    await raiseAlert({ ...deps, db: trx }, { kind: 'not-delivered', subject: id, orderId: id, message });
  });
}

/** Ends the alert about a late order. Called in the transaction that delivers or cancels the order. */
export async function endLateAlert(trx: Transaction, order: Dated, now: Date): Promise<void> {
  if (isLate(order, now)) await endAlertsOfOrder(trx, order.id, ['not-delivered'], now);
}
