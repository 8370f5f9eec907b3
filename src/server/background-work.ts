import type { Deps } from './deps.ts';
import { refreshSoldCounts } from './features/catalog/product-units.queries.ts';
import { reconcilePayments } from './features/checkout/reconcile-payments.ts';
import { sweepOrders } from './features/checkout/sweep-orders.ts';
import { removeUnusedPictures } from './features/retention/pictures.queries.ts';
import { removeOldFiles } from './features/retention/remove-old-files.ts';
import { rowLives } from './features/retention/row-lives.queries.ts';
import { refreshProductSales } from './features/statistics/product-sales.queries.ts';
import { rollUpSalesDays } from './features/statistics/sales-days.queries.ts';
import { removeEndedRows } from './platform/database/remove-ended-rows.ts';
import { repeatAll } from './platform/repeat.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** What every process of the shop does beside answering; several at once do not get into each other's way. */
export function startBackgroundWork(
  deps: Deps,
  isTimeKnown: () => boolean = () => true,
): { stop: () => Promise<void> } {
  // What ends something by the time waits while the time is unknown.
  const timed = (work: () => Promise<unknown>) => async () => (isTimeKnown() ? work() : false);
  return repeatAll(deps.log, [
    { name: 'sweep', pauseMs: 5 * SECOND_MS, work: timed(() => sweepOrders(deps)) },
    { name: 'reconcile', pauseMs: 10 * MINUTE_MS, work: timed(() => reconcilePayments(deps)) },
    { name: 'count sales', pauseMs: 5 * MINUTE_MS, work: () => refreshSoldCounts(deps.db) },
    { name: 'add up days', pauseMs: 5 * MINUTE_MS, work: () => rollUpSalesDays(deps.db, deps.clock.now()) },
    {
      name: 'count product sales',
      pauseMs: 5 * MINUTE_MS,
      work: () => deps.db.transaction().execute((trx) => refreshProductSales(trx, deps.clock.now())),
    },
    {
      name: 'remove ended rows',
      pauseMs: 10 * MINUTE_MS,
      work: timed(() => removeEndedRows(deps.db, { lives: rowLives, now: deps.clock.now() })),
    },
    { name: 'remove old files', pauseMs: 60 * MINUTE_MS, work: timed(() => removeOldFiles(deps)) },
    {
      name: 'remove unused pictures',
      pauseMs: 60 * MINUTE_MS,
      work: timed(() => removeUnusedPictures(deps.db, deps.clock.now())),
    },
  ]);
}
