import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { readReceipts } from './receipt-content.ts';

export function receiptsRoutes(route: Route, deps: Pick<Deps, 'db'>): void {
  route('GET /orders/:orderId/receipts', async ({ params: { orderId }, viewer }) => ({
    data: await readReceipts(deps, { orderId, viewer }),
  }));
}
