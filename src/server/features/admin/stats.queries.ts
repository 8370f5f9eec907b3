import { type RawBuilder, sql } from 'kysely';
import { MAX_COUNT } from '../../../shared/paging.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { AdminStats, LowStockEntry } from '../../../shared/statistics.ts';
import { type Period, trendPercent, trendPeriods } from '../../../shared/statistics.ts';
import type { Deps } from '../../deps.ts';
import { type Database, rowOf, rowsOf } from '../../platform/database/open-database.ts';
import { firstOrderAt, midnight, moment, sumSales } from './sales.queries.ts';

const running = new WeakMap<Deps, Promise<AdminStats>>();

/** Reads the current figures of the dashboard. Concurrent calls share one count. */
export function readStats(deps: Deps): Promise<AdminStats> {
  const run = running.get(deps) ?? countStats(deps).finally(() => running.delete(deps));
  running.set(deps, run);
  return run;
}

async function countStats({ db, clock }: Deps): Promise<AdminStats> {
  const now = clock.now();
  const { current, previous } = trendPeriods(now);
  const salesIn = ({ from, to }: Period) => sumSales(db, { from: moment(from), to: moment(to) });
  const [all, last, before, counts, lowStock, added, addedBefore] = await Promise.all([
    sumSales(db, { from: firstOrderAt(moment(now)), to: midnight(now, 1) }),
    salesIn(current),
    salesIn(previous),
    countAll(db, current.from),
    countLowStock(db),
    countAdded(db, current),
    countAdded(db, previous),
  ]);
  return {
    totalRevenue: toDollars(all.revenueCents),
    totalOrders: all.orders,
    totalProducts: counts.totalDigitalProducts + counts.totalPhysicalProducts,
    ...counts,
    ...lowStock,
    trends: {
      revenue: trendPercent({ current: last.revenueCents, previous: before.revenueCents }),
      orders: trendPercent({ current: last.orders, previous: before.orders }),
      users: trendPercent({ current: added.users, previous: addedBefore.users }),
      products: trendPercent({ current: added.products, previous: addedBefore.products }),
    },
  };
}

type Counts = Omit<AdminStats, 'totalRevenue' | 'totalOrders' | 'totalProducts' | 'lowStockItems' | 'trends'>;

/** Active users are those seen since `seenSince`. */
const countAll = (db: Database, seenSince: Date) => rowOf<Counts>(db)`
  SELECT
    (SELECT count(*) FROM users)::integer AS "totalUsers",
    (SELECT count(DISTINCT user_id) FROM sessions WHERE last_seen_at >= ${seenSince})::integer AS "activeUsers",
    (SELECT count(*) FROM products WHERE kind = 'digital')::integer AS "totalDigitalProducts",
    (SELECT count(*) FROM products WHERE kind = 'physical')::integer AS "totalPhysicalProducts",
    (SELECT count(*) FROM products WHERE is_active)::integer AS "activeProducts",
    (SELECT count(*) FROM orders WHERE shipped_at IS NULL AND cancelled_at IS NULL AND refunded_at IS NULL
      AND (paid_at IS NULL OR type = 'physical') AND state IN ('pending', 'capturing', 'fulfilled'))::integer
    + (SELECT count(*) FROM orders WHERE state = 'fulfilled' AND waiting_units > 0
      AND (type = 'digital' OR shipped_at IS NOT NULL))::integer AS "pendingOrders",
    (SELECT count(*) FROM reviews WHERE state = 'pending')::integer AS "pendingReviews",
    (SELECT count(*) FROM problem_reports WHERE waiting_since IS NOT NULL)::integer AS "openProblemReports",
    (SELECT count(*) FROM (SELECT FROM notices WHERE read_at IS NULL LIMIT ${MAX_COUNT}) AS unread)::integer AS "unreadNotices"
  `;

const countAdded = (db: Database, { from, to }: Period) => rowOf<{ users: number; products: number }>(db)`
  SELECT (SELECT count(*) FROM users WHERE created_at >= ${from} AND created_at < ${to})::integer AS users,
    (SELECT count(*) FROM products WHERE created_at >= ${from} AND created_at < ${to})::integer AS products`;

const MAX_LISTED = 100;
const SALES_DAYS = 30;

const availableItems = sql`FROM items WHERE product_id = products.id AND state = 'available'`;

// Reads at most `low_stock` + 1 items of a product, even if it has a million.
const lowStock: RawBuilder<unknown> = sql`
  SELECT id, 'digital' AS kind, name, image, category, (SELECT count(*)::integer ${availableItems}) AS available
  FROM products WHERE delivery = 'unique' AND kind = 'digital' AND is_active AND NOT EXISTS (SELECT ${availableItems} OFFSET low_stock)
  UNION ALL
  SELECT id, kind, name, image, category, stock FROM products WHERE is_active AND stock <= low_stock`;

const countLowStock = (db: Database) => rowOf<{ lowStockItems: number }>(db)`
  SELECT count(*)::integer AS "lowStockItems" FROM (${lowStock}) AS low`;

/** Sorted by days of cover, fewest first. Products that did not sell in 30 days come last. */
export const listLowStock = (db: Database) => rowsOf<LowStockEntry>(db)`
  SELECT low.id AS product, kind, name, image, category, available, coalesce(units_30, 0) AS "soldLast30Days",
    round(available * ${sql.lit(SALES_DAYS)}::numeric / nullif(units_30, 0), 1)::double precision AS "daysOfCover"
  FROM (${lowStock}) AS low LEFT JOIN product_sales ON product_id = low.id
  ORDER BY "daysOfCover" NULLS LAST, units_30 DESC NULLS LAST, available, name, low.id
  LIMIT ${MAX_LISTED}`;
