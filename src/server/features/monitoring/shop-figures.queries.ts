import { type Database, rowOf } from '../../platform/database/database.ts';
import type { ShopFigures } from '../../platform/metrics/metrics.ts';
import { isRestRow } from '../orders/refunds.queries.ts';

/**
 * Reads only unfinished rows, in one statement over partial indexes, so the cost does not grow with the shop. Finished
 * jobs are kept for an hour. An active job counts as waiting, because its mail server may hang. The lag excludes mass
 * jobs (priority below 0), because thousands of them may wait long without a fault.
 */
const findFigures = (db: Database) => rowOf<ShopFigures>(db)`
  WITH waiting_refunds AS (
    -- Not those that the provider has accepted: they may take days, and one that fails there is an alert. Nor those that an
    -- accepted refund of all that was left includes.
    SELECT order_id, created_at FROM refunds
    WHERE state <> 'done' AND provider_id IS NULL AND NOT EXISTS (
      SELECT FROM refunds AS rest
      WHERE rest.order_id = refunds.order_id AND rest.state = 'pending' AND rest.provider_id IS NOT NULL
        AND ${isRestRow('rest')})
  )
  SELECT
    (SELECT coalesce(json_object_agg(state, orders), '{}') FROM (
      SELECT state, count(*) AS orders FROM orders
      WHERE sweep_at IS NOT NULL
        AND (state IN ('pending', 'capturing') OR id IN (SELECT order_id FROM waiting_refunds))
      GROUP BY state) AS due) AS "unfinishedOrders",
    (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM waiting_refunds)::double precision
      AS "oldestWaitingRefundSeconds",
    (SELECT greatest(0, extract(epoch FROM now() - min(sweep_at))) FROM orders WHERE sweep_at IS NOT NULL)
      ::double precision AS "sweeperLagSeconds",
    (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM orders
      WHERE sweep_at IS NOT NULL AND state = 'capturing')::double precision AS "oldestCapturingSeconds",
    ((SELECT count(*) FROM items WHERE state = 'held')
      + (SELECT coalesce(sum(counted_units), 0) FROM order_lines WHERE counted_state = 'held'))::integer AS "heldUnits",
    (SELECT coalesce(json_object_agg(kind, open), '{}') FROM (
      SELECT kind, count(*) AS open FROM alerts WHERE ended_at IS NULL GROUP BY kind) AS alerts) AS alerts,
    (SELECT coalesce(json_object_agg(name, json_build_object('waiting', waiting, 'lagSeconds', lag)), '{}') FROM (
      SELECT queue.name, count(job.id) AS waiting,
        coalesce(extract(epoch FROM now() - min(job.created_on) FILTER (WHERE job.priority >= 0)), 0) AS lag
      FROM jobs.queue LEFT JOIN jobs.job ON job.name = queue.name AND job.state < 'completed' AND NOT job.blocked
      GROUP BY queue.name) AS queues) AS jobs`;

const KEPT_MS = 5_000;

/** Reads the figures at most every 5 s, however often metrics are scraped. The transaction limits the duration. */
export function createFigureReader(db: Database): () => Promise<ShopFigures> {
  let kept: { figures: Promise<ShopFigures>; until: number } | undefined;
  return () => {
    if (kept === undefined || performance.now() > kept.until) {
      kept = { figures: db.transaction().execute(findFigures), until: performance.now() + KEPT_MS };
    }
    return kept.figures;
  };
}
