import { api } from '../../../shared/api.ts';
import type { Shop } from '../../../shared/shop.ts';
import type { Route } from '../../platform/http/route.ts';

export function shopRoutes(route: Route, shop: Shop): void {
  route(api.getShop, async () => ({ data: shop }));
}
