import { type RawBuilder, sql } from 'kysely';
import { toDollars } from '../../../shared/pricing.ts';
import { type AdminStats, LOW_STOCK, type LowStockEntry } from '../../../shared/statistics.ts';
import { type Period, trendPercent, trendPeriods } from '../../../shared/trends.ts';
import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { firstOrderAt, midnight, moment, sumSales } from './sales.queries.ts';

const running = new WeakMap<Deps, Promise<AdminStats>>();

/** The present figures of the dashboard. Calls at the same time share one count. */
export function readStats(deps: Deps): Promise<AdminStats> {
  const run = running.get(deps) ?? countStats(deps).finally(() => running.delete(deps));
  running.set(deps, run);
  return run;
}

async function countStats({ db, clock }: Deps): Promise<AdminStats> {
  const now = clock.now();
  const { current, previous } = trendPeriods(now);
  const salesIn = ({ from, to }: Period) => sumSales(db, { from: moment(from), to: moment(to) });
  const [all, last, before, counts, lowStockItems, added, addedBefore] = await Promise.all([
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
    lowStockItems,
    trends: {
      revenue: trendPercent({ current: last.revenueCents, previous: before.revenueCents }),
      orders: trendPercent({ current: last.orders, previous: before.orders }),
      users: trendPercent({ current: added.users, previous: addedBefore.users }),
      products: trendPercent({ current: added.products, previous: addedBefore.products }),
    },
  };
}

type Counts = Omit<AdminStats, 'totalRevenue' | 'totalOrders' | 'totalProducts' | 'lowStockItems' | 'trends'>;

/** Active users are those seen since that moment. */
async function countAll(db: Database, seenSince: Date): Promise<Counts> {
  const { rows } = await sql<Counts>`
    SELECT
      (SELECT count(*) FROM users)::integer AS "totalUsers",
      (SELECT count(DISTINCT user_id) FROM sessions WHERE last_seen_at >= ${seenSince})::integer AS "activeUsers",
      (SELECT count(*) FROM products WHERE kind = 'digital')::integer AS "totalDigitalProducts",
      (SELECT count(*) FROM products WHERE kind = 'physical')::integer AS "totalPhysicalProducts",
      (SELECT count(*) FROM products WHERE is_active)::integer AS "activeProducts",
      (SELECT count(*) FROM orders WHERE shipped_at IS NULL AND cancelled_at IS NULL AND refunded_at IS NULL
        AND (paid_at IS NULL OR type = 'physical') AND state IN ('pending', 'capturing', 'fulfilled'))::integer AS "pendingOrders"
    `.execute(db);
  return rows[0] as Counts;
}

/** How many users and products of either kind were added in a period. */
async function countAdded(db: Database, { from, to }: Period): Promise<{ users: number; products: number }> {
  const added = (table: string) =>
    sql`(SELECT count(*) FROM ${sql.table(table)} WHERE created_at >= ${from} AND created_at < ${to})::integer`;
  const { rows } = await sql<{ users: number; products: number }>`
    SELECT ${added('users')} AS users, ${added('products')} AS products`.execute(db);
  return rows[0] ?? { users: 0, products: 0 };
}

const MAX_LISTED = 100;
const SALES_DAYS = 30;

const availableItems = sql`FROM items WHERE product_id = products.id AND state = 'available'`;

// Of a product with a million keys, only LOW_STOCK are read.
const lowStock: RawBuilder<unknown> = sql`
  SELECT id, 'digital' AS kind, name, image, category, (SELECT count(*)::integer ${availableItems}) AS available
  FROM products WHERE kind = 'digital' AND is_active AND NOT EXISTS (SELECT ${availableItems} OFFSET ${sql.lit(LOW_STOCK - 1)})
  UNION ALL
  SELECT id, 'physical', name, image, category, stock FROM products WHERE kind = 'physical' AND is_active AND stock < ${sql.lit(LOW_STOCK)}`;

async function countLowStock(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::integer AS n FROM (${lowStock}) AS low`.execute(db);
  return rows[0]?.n ?? 0;
}

/** By days of cover, those without stock first; products that do not sell last. */
export async function listLowStock(db: Database): Promise<LowStockEntry[]> {
  const { rows } = await sql<LowStockEntry>`
    SELECT low.id AS product, kind, name, image, category, available, coalesce(units_30, 0) AS "soldLast30Days",
      round(available * ${sql.lit(SALES_DAYS)}::numeric / nullif(units_30, 0), 1)::double precision AS "daysOfCover"
    FROM (${lowStock}) AS low LEFT JOIN product_sales ON product_id = low.id
    ORDER BY "daysOfCover" NULLS LAST, units_30 DESC NULLS LAST, available, name, low.id
    LIMIT ${MAX_LISTED}`.execute(db);
  return rows;
}
