import { Gauge, Registry } from 'prom-client';
import type { ShopFigures } from './metrics.ts';

/**
 * Creates the gauges for figures of the database. Each process reports the same values, so they must be read by `max`,
 * not added up.
 */
export function createFigureGauges() {
  const registry = new Registry();
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });

  const unfinished = gauge('kedai_unfinished_orders', 'Orders that the sweeper has to visit, by state', ['state']);
  const waitingRefund = gauge(
    'kedai_oldest_waiting_refund_seconds',
    'Since the oldest refund that the provider has not accepted was begun',
  );
  const sweeperLag = gauge('kedai_sweeper_lag_seconds', 'For how long an order has waited for the sweeper');
  const capturing = gauge('kedai_oldest_capturing_order_seconds', 'Since the oldest order being captured was made');
  const held = gauge('kedai_held_units', 'Units of goods held for unpaid orders');
  const alerts = gauge('kedai_open_alerts', 'Alerts on the dashboard that nobody has acknowledged', ['kind']);
  const waiting = gauge('kedai_jobs_waiting', 'Jobs that are not done', ['queue']);
  const jobLag = gauge('kedai_job_lag_seconds', 'Age of the oldest job that is not done, without mass mail', ['queue']);

  function show(figures: ShopFigures): Promise<string> {
    registry.resetMetrics();
    for (const state of ['pending', 'capturing', 'refunding']) unfinished.set({ state }, 0);
    for (const [state, count] of Object.entries(figures.unfinishedOrders)) unfinished.set({ state }, count);
    for (const [kind, count] of Object.entries(figures.alerts)) alerts.set({ kind }, count);
    for (const [queue, job] of Object.entries(figures.jobs)) {
      waiting.set({ queue }, job.waiting);
      jobLag.set({ queue }, job.lagSeconds);
    }
    waitingRefund.set(figures.oldestWaitingRefundSeconds);
    sweeperLag.set(figures.sweeperLagSeconds);
    capturing.set(figures.oldestCapturingSeconds);
    held.set(figures.heldUnits);
    return registry.metrics();
  }

  return { show, registry };
}
