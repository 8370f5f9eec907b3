import { api } from '../../../shared/api.ts';
import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { listOrdersOfUser } from './orders.queries.ts';
import { presentOrder } from './present-order.ts';
import { revealItems } from './reveal-items.ts';

export function ordersRoutes(route: Route, deps: Deps): void {
  route(api.listDigitalOrders, async ({ viewer }) => {
    return { data: (await listOrdersOfUser(deps.db, viewer.userId, 'digital')).map(presentOrder) };
  });

  route(api.listPhysicalOrders, async ({ viewer }) => {
    return { data: (await listOrdersOfUser(deps.db, viewer.userId, 'physical')).map(presentOrder) };
  });

  route(api.getOrderItems, async ({ params, viewer, request }) => {
    const data = await revealItems(deps, {
      orderId: params.orderId,
      userId: viewer.userId,
      client: clientOf(request),
    });
    return { data };
  });
}
