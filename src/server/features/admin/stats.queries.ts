import { type RawBuilder, sql } from 'kysely';
import {
  type AdminStats,
  type LowStockEntry,
  type Period,
  type Sales,
  trendPercent,
  trendPeriods,
} from '../../../shared/admin.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import { MAX_COUNT } from '../../../shared/paging.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { type Database, rowOf, rowsOf, type Transaction, tryLockWork } from '../../platform/database/database.ts';
import { returnedUnits } from './reports.queries.ts';

const zone = sql.lit(SHOP_TIME_ZONE);

/** `from` is included, `to` is not. */
type SalesPeriod = { from: RawBuilder<Date>; to: RawBuilder<Date> };

const moment = (at: Date): RawBuilder<Date> => sql<Date>`${at}::timestamptz`;

/** Midnight at the beginning of the shop's day that is `daysLater` days after that of `now`. */
const midnight = (now: Date, daysLater: number): RawBuilder<Date> =>
  sql<Date>`((shop_day(${now}) + ${sql.lit(daysLater)})::timestamp AT TIME ZONE ${zone})`;

/** The last `days` days, including today. */
export const lastDays = (now: Date, days: number): SalesPeriod => ({
  from: midnight(now, 1 - days),
  to: midnight(now, 1),
});

type SalesSum = { orders: number; revenueCents: number };

// A day is added up this long after its end, when all transactions that wrote an order of the day have ended.
const ADDED_UP_AFTER_MS = HOUR_MS;
/** Days per transaction. While it runs, refunds of paid orders wait for its lock. */
const MAX_DAYS = 31;

const startOf = (day: string) => sql`(${sql.ref(day)}::timestamp AT TIME ZONE ${zone})`;
const endOf = (day: string) => sql`((${sql.ref(day)} + 1)::timestamp AT TIME ZONE ${zone})`;

// Both kinds are named, because the indexes begin with the type.
const BOTH_TYPES = sql`type IN ('digital', 'physical')`;
const bounds = (column: string) => sql`${BOTH_TYPES} AND ${sql.ref(column)} >= starts AND ${sql.ref(column)} < ends`;

const countOrders = sql<number>`(
  SELECT count(*)::integer FROM orders WHERE cancel_reason IS DISTINCT FROM 'abandoned' AND ${bounds('created_at')})`;

const sumRevenue = sql<number>`(
  SELECT coalesce(sum(total_cents - refunded_cents - lost_cents), 0)::bigint FROM orders
  WHERE state = 'fulfilled' AND ${bounds('paid_at')})`;

/** The days of a period, each with its sales within the period. Whole days come from `sales_days` where it has them. */
const salesByDay = ({ from, to }: SalesPeriod) => sql`
  SELECT days.day, coalesce(kept.orders, ${countOrders}) AS orders, coalesce(kept.revenue_cents, ${sumRevenue}) AS revenue_cents
  FROM (
    SELECT day, greatest(${startOf('day')}, ${from}) AS starts, least(${endOf('day')}, ${to}) AS ends
    FROM (SELECT day::date FROM generate_series(shop_day(${from})::timestamp, shop_day(${to})::timestamp, interval '1 day') AS day) AS touched
  ) AS days
  LEFT JOIN sales_days AS kept ON kept.day = days.day AND starts = ${startOf('days.day')} AND ends = ${endOf('days.day')}
  WHERE starts < ends`;

/** Days as YYYY-MM-DD. */
export const listSalesByDay = (db: Database, span: SalesPeriod) => rowsOf<SalesSum & { day: string }>(db)`
  SELECT to_char(day, 'YYYY-MM-DD') AS day, orders, revenue_cents::double precision AS "revenueCents"
  FROM (${salesByDay(span)}) AS sales ORDER BY day`;

export const sumSales = (db: Database, span: SalesPeriod) => rowOf<SalesSum>(db)`
  SELECT coalesce(sum(orders), 0)::integer AS orders, coalesce(sum(revenue_cents), 0)::double precision AS "revenueCents"
  FROM (${salesByDay(span)}) AS sales`;

/** Time of the first order of the shop; `otherwise` while it has none. */
const firstOrderAt = (otherwise: RawBuilder<Date>): RawBuilder<Date> => sql<Date>`coalesce((
  SELECT min(first) FROM (VALUES ('digital'), ('physical')) AS types (name), LATERAL (
    SELECT min(created_at) AS first FROM orders WHERE type = types.name AND cancel_reason IS DISTINCT FROM 'abandoned') AS firsts
  ), ${otherwise})`;

/**
 * Adds up finished days that have no sum yet, oldest first. Returns true when there may be more. When an order changes,
 * a trigger deletes the sum of its day (0056_lost_parts.sql). The trigger takes the same lock in shared mode, so
 * this waits for refunds that are being written, and no sum is outdated.
 */
export function rollUpSalesDays(db: Database, now: Date): Promise<boolean> {
  const settled = new Date(now.getTime() - ADDED_UP_AFTER_MS);
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('sales days'))`.execute(trx);
    // A day that is not over was added up while the clock was ahead.
    await sql`DELETE FROM sales_days WHERE day >= shop_day(${settled})`.execute(trx);
    const { numAffectedRows = 0n } = await sql`
      INSERT INTO sales_days (day, orders, revenue_cents)
      SELECT day, ${countOrders}, ${sumRevenue}
      FROM (
        SELECT day, ${startOf('day')} AS starts, ${endOf('day')} AS ends
        FROM (SELECT day::date FROM generate_series(
          shop_day(${firstOrderAt(moment(settled))})::timestamp, shop_day(${settled}) - interval '1 day', interval '1 day') AS day) AS over
        WHERE NOT EXISTS (SELECT FROM sales_days WHERE sales_days.day = over.day)
        ORDER BY day LIMIT ${MAX_DAYS}
      ) AS days`.execute(trx);
    return numAffectedRows === BigInt(MAX_DAYS);
  });
}

const SPANS = ['7', '30', '90'] as const;
type DaysOfSpan = (typeof SPANS)[number];

const MAX_BEST_SELLERS = 5;

const since = (days: DaysOfSpan, now: Date) => sql`paid_at >= ${midnight(now, 1 - Number(days))}`;

/** Counts units sold, less returned, in 7, 30 and 90 days. In the background: the joins take too long for a screen. */
export async function refreshProductSales(trx: Transaction, now: Date): Promise<void> {
  const sums = SPANS.flatMap((days) => [
    sql`coalesce(sum(units) FILTER (WHERE ${since(days, now)}), 0)`,
    sql`coalesce(sum(units * unit_price_cents) FILTER (WHERE ${since(days, now)}), 0)`,
  ]);
  const columnsOf = (table: string) =>
    sql.join(SPANS.flatMap((days) => [sql.ref(`${table}units_${days}`), sql.ref(`${table}cents_${days}`)]));
  // Only one process counts at a time.
  if (!(await tryLockWork(trx, 'product sales'))) return;
  await sql`
    WITH counted AS MATERIALIZED (
      SELECT product_id, ${sql.join(sums)}
      FROM (
        SELECT product_id, unit_price_cents, paid_at,
          quantity - ${returnedUnits} AS units
        FROM orders JOIN order_lines ON order_id = orders.id
        WHERE type IN ('digital', 'physical') AND state = 'fulfilled' AND ${since('90', now)}
      ) AS sold
      GROUP BY product_id
    ), gone AS (
      DELETE FROM product_sales WHERE NOT EXISTS (SELECT FROM counted WHERE counted.product_id = product_sales.product_id)
    )
    INSERT INTO product_sales (product_id, ${columnsOf('')})
    TABLE counted
    ON CONFLICT (product_id) DO UPDATE SET (${columnsOf('')}) = (${columnsOf('excluded.')})
    WHERE (${columnsOf('product_sales.')}) IS DISTINCT FROM (${columnsOf('excluded.')})`.execute(trx);
}

export async function listBestSellers(db: Database, days: DaysOfSpan): Promise<Sales['bestSellers']> {
  const [units, cents] = [sql.ref(`units_${days}`), sql.ref(`cents_${days}`)];
  const rows = await rowsOf<Omit<Sales['bestSellers'][number], 'revenue'> & { cents: number }>(db)`
    SELECT product_id AS product, kind, name, image, category,
      ${units} AS units, ${cents}::double precision AS cents
    FROM (SELECT product_id, ${units}, ${cents} FROM product_sales WHERE ${units} > 0
          ORDER BY ${units} DESC, ${cents} DESC, product_id LIMIT ${MAX_BEST_SELLERS}) AS best
    JOIN products ON products.id = product_id
    ORDER BY ${units} DESC, ${cents} DESC, product_id`;
  return rows.map(({ cents: revenueCents, ...best }) => ({ ...best, revenue: toDollars(revenueCents) }));
}

/** Concurrent calls share one read. */
function shared<T>(read: (deps: Deps) => Promise<T>): (deps: Deps) => Promise<T> {
  const running = new WeakMap<Deps, Promise<T>>();
  return (deps) => {
    const run = running.get(deps) ?? read(deps).finally(() => running.delete(deps));
    running.set(deps, run);
    return run;
  };
}

export const readStats = shared(countStats);

async function countStats({ db, clock }: Deps): Promise<AdminStats> {
  const now = clock.now();
  const { current, previous } = trendPeriods(now);
  const salesIn = ({ from, to }: Period) => sumSales(db, { from: moment(from), to: moment(to) });
  // Two connections with half of the work each. Seven would be opened for this alone, and a new one is slow (IDLE_MS).
  const rest = async () => ({
    all: await sumSales(db, { from: firstOrderAt(moment(now)), to: midnight(now, 1) }),
    last: await salesIn(current),
    before: await salesIn(previous),
    counts: await countAll(db, current.from),
    added: await countAdded(db, current),
    addedBefore: await countAdded(db, previous),
  });
  const [low, { all, last, before, counts, added, addedBefore }] = await Promise.all([countLowStock(db), rest()]);
  return {
    totalRevenue: toDollars(all.revenueCents),
    totalOrders: all.orders,
    totalProducts: counts.totalDigitalProducts + counts.totalPhysicalProducts,
    ...counts,
    ...low,
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
    (SELECT count(*) FROM products WHERE is_active AND kind = 'digital')::integer
    + (SELECT count(*) FROM products WHERE is_active AND kind = 'physical')::integer AS "activeProducts",
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
export const listLowStock = shared(
  ({ db }) => rowsOf<LowStockEntry>(db)`
  SELECT low.id AS product, kind, name, image, category, available, coalesce(units_30, 0) AS "soldLast30Days",
    round(available * ${sql.lit(SALES_DAYS)}::numeric / nullif(units_30, 0), 1)::double precision AS "daysOfCover"
  FROM (${lowStock}) AS low LEFT JOIN product_sales ON product_id = low.id
  ORDER BY "daysOfCover" NULLS LAST, units_30 DESC NULLS LAST, available, name, low.id
  LIMIT ${MAX_LISTED}`,
);
