import type { AdminStats } from '../../../shared/statistics.ts';
import { toDollars } from '../../../shared/pricing.ts';
import { trendPercent, trendPeriods } from '../../../shared/trends.ts';
import type { Deps } from '../../deps.ts';
import { firstOrderAt, midnight, moment, sumSales } from './sales-days.queries.ts';
import { countAdded, countAll } from './statistics.queries.ts';
import { countLowStock } from './stock.queries.ts';

const running = new WeakMap<Deps, Promise<AdminStats>>();

/** The figures of the dashboard as they stand now. Who asks while they are being counted shares the count. */
export function readStats(deps: Deps): Promise<AdminStats> {
  const run = running.get(deps) ?? countStats(deps).finally(() => running.delete(deps));
  running.set(deps, run);
  return run;
}

async function countStats({ db, clock }: Deps): Promise<AdminStats> {
  const now = clock.now();
  const { current, previous } = trendPeriods(now);
  const [all, last, before, counts, added, addedBefore, lowStockItems] = await Promise.all([
    sumSales(db, { from: firstOrderAt(moment(now)), to: midnight(now, 1) }),
    sumSales(db, { from: moment(current.from), to: moment(current.to) }),
    sumSales(db, { from: moment(previous.from), to: moment(previous.to) }),
    countAll(db, current.from),
    countAdded(db, current),
    countAdded(db, previous),
    countLowStock(db),
  ]);
  return {
    totalRevenue: toDollars(all.revenueCents),
    totalOrders: all.orders,
    totalUsers: counts.users,
    totalProducts: counts.digitalProducts + counts.physicalProducts,
    totalDigitalProducts: counts.digitalProducts,
    totalPhysicalProducts: counts.physicalProducts,
    pendingOrders: counts.pendingOrders,
    activeProducts: counts.activeProducts,
    lowStockItems,
    activeUsers: counts.activeUsers,
    trends: {
      revenue: trendPercent({ current: last.revenueCents, previous: before.revenueCents }),
      orders: trendPercent({ current: last.orders, previous: before.orders }),
      users: trendPercent({ current: added.users, previous: addedBefore.users }),
      products: trendPercent({ current: added.products, previous: addedBefore.products }),
    },
  };
}
