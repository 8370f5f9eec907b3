import type { Deps } from './deps.ts';
import { forgetPendingLogins } from './features/accounts/pending-logins.queries.ts';
import { refreshSoldCounts } from './features/catalog/catalog.queries.ts';
import { reconcilePayments } from './features/checkout/reconcile-payments.ts';
import { sweepOrders } from './features/checkout/sweep-orders.ts';
import { forgetLookups } from './features/order-lookup/order-lookup.queries.ts';
import { refreshProductSales } from './features/statistics/product-sales.queries.ts';
import { rollUpSalesDays } from './features/statistics/sales-days.queries.ts';
import { forgetPastCounts } from './platform/rate-limits/rate-counts.queries.ts';
import { repeatAll } from './platform/repeat.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** What every process of the shop does beside answering; several at once do not get into each other's way. */
export function startBackgroundWork(deps: Deps): { stop: () => Promise<void> } {
  return repeatAll(deps.log, [
    { name: 'sweep', pauseMs: 5 * SECOND_MS, work: () => sweepOrders(deps) },
    { name: 'reconcile', pauseMs: 10 * MINUTE_MS, work: () => reconcilePayments(deps) },
    { name: 'count sales', pauseMs: 5 * MINUTE_MS, work: () => refreshSoldCounts(deps.db) },
    { name: 'add up days', pauseMs: 5 * MINUTE_MS, work: () => rollUpSalesDays(deps.db, deps.clock.now()) },
    {
      name: 'count product sales',
      pauseMs: 5 * MINUTE_MS,
      work: () => deps.db.transaction().execute((trx) => refreshProductSales(trx, deps.clock.now())),
    },
    {
      name: 'forget counts',
      pauseMs: 10 * MINUTE_MS,
      work: () => forgetPastCounts(deps.db, deps.clock.now()),
    },
    {
      name: 'forget pending logins',
      pauseMs: 10 * MINUTE_MS,
      work: () => forgetPendingLogins(deps.db, deps.clock.now()),
    },
    { name: 'forget lookups', pauseMs: 60 * MINUTE_MS, work: () => forgetLookups(deps.db, deps.clock.now()) },
  ]);
}
