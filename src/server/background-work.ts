import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../shared/durations.ts';
import type { Deps } from './deps.ts';
import { accountMails } from './features/accounts/account-mails.ts';
import { refreshProductSales, rollUpSalesDays } from './features/admin/stats.queries.ts';
import { refreshSoldCounts } from './features/catalog/catalog.queries.ts';
import { reconcilePayments } from './features/checkout/reconcile-payments.ts';
import { sweepOrders } from './features/checkout/sweep-orders.ts';
import { finishDeletions } from './features/inventory/stock.queries.ts';
import type { MailContents } from './features/mails/send-mail.ts';
import { noticeMails, notifyOwner } from './features/notifications/notifications.ts';
import { orderLookupMails } from './features/order-lookup/look-up-order.ts';
import { fileMails } from './features/orders/file-mails.ts';
import { orderMails } from './features/orders/order-mails.ts';
import { refundMails } from './features/orders/refund-mails.ts';
import { issueReceipts } from './features/receipts/issue-receipts.ts';
import { checkHeldBack } from './features/recovery/check-held-back.ts';
import { removeEndedRows, removeOldFiles, removeUnusedPictures } from './features/retention/retention.ts';
import { startIfDue } from './platform/database/database.ts';
import { DatabaseUnavailable } from './platform/database/database-errors.ts';
import { noTracing, type Tracing } from './platform/tracing/tracing.ts';

/** The background work of every process. Several processes may do it at the same time. */
export function startBackgroundWork(deps: Deps, tracing: Tracing = noTracing, isTimeKnown: () => boolean = () => true) {
  const { db, clock } = deps;
  // First runs follow one another, because all at once would open a connection each at every start. A slow first run,
  // e.g. because the provider hangs, delays the next one by at most a second.
  let mayStart: Promise<unknown> = Promise.resolve();
  const start = (name: string, pauseMs: number, work: () => Promise<unknown>) => {
    const runWork = () => tracing.inSpan({ name: `loop ${name}` }, work);
    const loop = repeat(deps, { loop: name, startAfter: mayStart, pauseMs }, runWork);
    mayStart = Promise.race([loop.firstRun, mayStart.then(() => wait(SECOND_MS, undefined, { ref: false }))]);
    return loop;
  };
  /** Work that compares expiry times is skipped while the time is unknown. */
  const startTimed = (name: string, pauseMs: number, work: (now: Date) => Promise<unknown>) =>
    start(name, pauseMs, async () => isTimeKnown() && work(clock.now()));
  /** Work that is too heavy for each process to repeat it. */
  const startShared = (name: string, pauseMs: number, work: () => Promise<unknown>) =>
    start(name, pauseMs, async () => (await startIfDue(db, name, pauseMs)) && work());
  const sumProductSales = () => db.transaction().execute((trx) => refreshProductSales(trx, clock.now()));
  const loops = [
    startTimed('sweep', 5 * SECOND_MS, () => sweepOrders(deps)),
    startTimed('issue receipts', 5 * SECOND_MS, () => issueReceipts(deps)),
    startTimed('tell the owner', 10 * SECOND_MS, () => notifyOwner(deps)),
    // The orders that a restore has held back come first, because their buyers are waiting.
    startTimed('reconcile', 10 * MINUTE_MS, () => checkHeldBack(deps).then(() => reconcilePayments(deps))),
    startShared('count sales', 5 * MINUTE_MS, () => refreshSoldCounts(db)),
    start('add up days', 5 * MINUTE_MS, () => rollUpSalesDays(db, clock.now())),
    startShared('count product sales', 5 * MINUTE_MS, sumProductSales),
    startShared('resume jobs', MINUTE_MS, () => deps.jobs.resume()),
    start('finish deletions', 10 * MINUTE_MS, () => finishDeletions(db)),
    startTimed('remove ended rows', 10 * MINUTE_MS, (now) => removeEndedRows(db, now)),
    startTimed('remove old files', 60 * MINUTE_MS, () => removeOldFiles(deps)),
    startTimed('remove unused pictures', 60 * MINUTE_MS, (now) => removeUnusedPictures(db, now)),
  ];
  return { stop: () => Promise.all(loops.map((loop) => loop.stop())) };
}

/** Runs `work` after `startAfter`, then after pauses, or at once while `work` resolves to true. `stop` waits for it. */
function repeat(
  { log, metrics }: Deps,
  { loop, startAfter, pauseMs }: { loop: string; startAfter: Promise<unknown>; pauseMs: number },
  work: () => Promise<unknown>,
) {
  metrics.loop(loop, 'started');
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const firstRun = startAfter.then(run);
  let current = firstRun;

  async function run(): Promise<void> {
    if (stopped) return;
    let more = false;
    try {
      more = (await work()) === true;
      metrics.loop(loop, 'done');
    } catch (error) {
      metrics.loop(loop, 'failed');
      if (error instanceof DatabaseUnavailable) {
        log.warn({ loop, reason: error.message }, 'a background loop has no database and will try again');
      } else log.error({ err: error, loop }, 'a background loop failed and will try again');
    }
    if (stopped) return;
    const next = () => {
      current = run();
    };
    timer = setTimeout(next, more ? 0 : pauseMs);
  }

  return {
    firstRun,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

export const mailContents: MailContents = {
  ...orderMails,
  ...refundMails,
  ...fileMails,
  ...orderLookupMails,
  ...accountMails,
  ...noticeMails,
};
