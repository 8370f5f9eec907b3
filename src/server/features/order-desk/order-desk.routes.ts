import { api } from '../../../shared/api.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { listOrders } from './order-list.queries.ts';
import { presentDeskOrder } from './present-desk-order.ts';
import { readOrderPage } from './read-order-page.ts';

export function orderDeskRoutes(route: Route, deps: Deps): void {
  route(api.listAllPhysicalOrders, async ({ query }) => {
    const { rows, ...page } = await listOrders(deps.db, { ...query, type: 'physical' });
    return { data: rows.map(presentDeskOrder), ...page };
  });

  route(api.listAllDigitalOrders, async ({ query }) => {
    const { rows, ...page } = await listOrders(deps.db, { ...query, type: 'digital' });
    return { data: rows.map(presentDeskOrder), ...page };
  });

  route(api.getAdminOrder, async ({ params }) => ({ data: await readOrderPage(deps, params.id) }));
}
