import type { Sales } from '../../../shared/statistics.ts';
import { sql } from 'kysely';
import { toDollars } from '../../../shared/pricing.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import { midnight } from './sales-days.queries.ts';

const SPANS = ['7', '30', '90'] as const;
type DaysOfSpan = (typeof SPANS)[number];

const MOST_BEST_SELLERS = 5;

const since = (days: DaysOfSpan, now: Date) => sql`paid_at >= ${midnight(now, 1 - Number(days))}`;

/**
 * Counts afresh what was sold of each product in the last days, today's included and without what was given back. Apart
 * from the sales themselves, as the joins take longer than an administrator should wait.
 */
export async function refreshProductSales(trx: Transaction, now: Date): Promise<void> {
  const sums = SPANS.flatMap((days) => [
    sql`coalesce(sum(units) FILTER (WHERE ${since(days, now)}), 0)`,
    sql`coalesce(sum(units * unit_price_cents) FILTER (WHERE ${since(days, now)}), 0)`,
  ]);
  const columns = SPANS.flatMap((days) => [sql.ref(`units_${days}`), sql.ref(`cents_${days}`)]);
  const excluded = SPANS.flatMap((days) => [
    sql.ref(`excluded.units_${days}`),
    sql.ref(`excluded.cents_${days}`),
  ]);
  // Several processes count; one at a time is enough.
  const { rows } = await sql<{ alone: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtext('product sales')) AS alone`.execute(trx);
  if (!rows[0]?.alone) return;
  await sql`
    WITH counted AS MATERIALIZED (
      SELECT product_id, ${sql.join(sums)}
      FROM (
        SELECT product_id, unit_price_cents, paid_at,
          quantity - coalesce((
            SELECT sum(refund_lines.quantity) FROM refund_lines JOIN refunds ON refunds.id = refund_id
            WHERE order_line_id = order_lines.id AND refunds.state <> 'failed'), 0) AS units
        FROM orders JOIN order_lines ON order_id = orders.id
        WHERE type IN ('digital', 'physical') AND state IN ('fulfilled', 'disputed') AND ${since('90', now)}
      ) AS sold
      GROUP BY product_id
    ), gone AS (
      DELETE FROM product_sales WHERE NOT EXISTS (SELECT FROM counted WHERE counted.product_id = product_sales.product_id)
    )
    INSERT INTO product_sales (product_id, ${sql.join(columns)})
    TABLE counted
    ON CONFLICT (product_id) DO UPDATE SET (${sql.join(columns)}) = (${sql.join(excluded)})
    WHERE (${sql.join(columns.map((column) => sql`product_sales.${column}`))}) IS DISTINCT FROM (${sql.join(excluded)})`.execute(
    trx,
  );
}

export async function listBestSellers(db: Database, days: DaysOfSpan): Promise<Sales['bestSellers']> {
  const [units, cents] = [sql.ref(`units_${days}`), sql.ref(`cents_${days}`)];
  const { rows } = await sql<Omit<Sales['bestSellers'][number], 'revenue'> & { cents: number }>`
    SELECT product_id AS product, kind, name, image, category,
      ${units} AS units, ${cents}::double precision AS cents
    FROM (SELECT product_id, ${units}, ${cents} FROM product_sales WHERE ${units} > 0
          ORDER BY ${units} DESC, ${cents} DESC, product_id LIMIT ${MOST_BEST_SELLERS}) AS best
    JOIN products ON products.id = product_id
    ORDER BY ${units} DESC, ${cents} DESC, product_id`.execute(db);
  return rows.map(({ cents: revenueCents, ...best }) => ({ ...best, revenue: toDollars(revenueCents) }));
}
