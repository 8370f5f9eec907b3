import type { Shop } from '../../../shared/content.ts';
import type { Route } from '../../platform/http/route.ts';

export function shopRoutes(route: Route, shop: Shop): void {
  route('GET /shop', async () => ({ data: shop }));
}
