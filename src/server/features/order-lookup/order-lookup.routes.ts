import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import { networkOf } from '../../platform/http/ip-address.ts';
import type { Route } from '../../platform/http/route.ts';
import { lookUpOrder, openLookup } from './look-up-order.ts';

export function orderLookupRoutes(route: Route, deps: Deps): void {
  route('POST /order-lookup/guest', async ({ body, request }) => {
    await deps.limits.count('order-lookup', { address: request.ip });
    return { data: await lookUpOrder(deps, { ...body, network: networkOf(request.ip) }) };
  });

  route('POST /order-lookup/guest/open', async ({ body, request }) => ({
    data: await openLookup(deps, { ...body, client: clientOf(request) }),
  }));
}
