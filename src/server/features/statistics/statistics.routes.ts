import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { listBestSellers } from './product-sales.queries.ts';
import { readStats } from './read-stats.ts';
import { lastDays, listSalesByDay } from './sales-days.queries.ts';
import { listLowStock } from './stock.queries.ts';

export function statisticsRoutes(route: Route, deps: Deps): void {
  route('GET /admin/stats', async () => ({ data: await readStats(deps) }));

  route('GET /admin/sales', async ({ query: { days = '30' } }) => {
    const [sold, bestSellers] = await Promise.all([
      listSalesByDay(deps.db, lastDays(deps.clock.now(), Number(days))),
      listBestSellers(deps.db, days),
    ]);
    const byDay = sold.map(({ day, orders, revenueCents }) => ({
      day,
      orders,
      revenue: toDollars(revenueCents),
    }));
    return { data: { days: byDay, bestSellers } };
  });

  route('GET /admin/low-stock', async () => ({ data: await listLowStock(deps.db) }));
}
