import type { Deps } from './deps.ts';
import { accountMails } from './features/accounts/account-mails.ts';
import { refreshProductSales, rollUpSalesDays } from './features/admin/sales.queries.ts';
import { refreshSoldCounts } from './features/catalog/product-units.queries.ts';
import { reconcilePayments } from './features/checkout/reconcile-payments.ts';
import { sweepOrders } from './features/checkout/sweep-orders.ts';
import type { MailContents } from './features/mails/send-mail.ts';
import { orderLookupMails } from './features/order-lookup/look-up-order.ts';
import { orderMails } from './features/orders/order-mails.ts';
import { removeOldFiles } from './features/retention/remove-old-files.ts';
import { removeUnusedPictures, rowLives } from './features/retention/retention.queries.ts';
import { removeEndedRows } from './platform/database/bulk-rows.ts';
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

/** Every mail of the shop. */
export const mailContents: MailContents = { ...orderMails, ...orderLookupMails, ...accountMails };
