import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { readOrderPage } from './read-order-page.ts';

export function orderPageRoutes(route: Route, deps: Pick<Deps, 'db'>): void {
  route('GET /orders/mine/:orderId', async ({ params: { orderId }, viewer: { userId } }) => ({
    data: await readOrderPage(deps, { orderId, userId }),
  }));
}
