import type { Order } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { withRefunds } from './order-refunds.queries.ts';
import { listOrdersOfUser } from './orders.queries.ts';
import { presentOrder } from './present-order.ts';
import { revealItems } from './reveal-items.ts';

export function ordersRoutes(route: Route, deps: Deps): void {
  const ordersOf = async (userId: string, type: Order['orderType']) => {
    const orders = await listOrdersOfUser(deps.db, userId, type);
    return (await withRefunds(deps.db, orders)).map(presentOrder);
  };

  route('GET /digital-orders/myorders', async ({ viewer }) => {
    return { data: await ordersOf(viewer.userId, 'digital') };
  });

  route('GET /orders/myorders', async ({ viewer }) => {
    return { data: await ordersOf(viewer.userId, 'physical') };
  });

  route('GET /digital-orders/:orderId/items', async ({ params, viewer, request }) => {
    const data = await revealItems(deps, {
      orderId: params.orderId,
      userId: viewer.userId,
      client: clientOf(request),
    });
    return { data };
  });
}
