import { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { makeEvidence } from '../disputes/make-evidence.ts';
import { readReceipts } from '../receipts/receipts.queries.ts';
import { cancelByBuyer } from './cancel-by-buyer.ts';
import { readOrderPage } from './read-order-page.ts';

export function orderPageRoutes(route: Route, deps: Deps): void {
  route('GET /orders/mine/:orderId', async ({ params: { orderId }, viewer: { userId } }) => ({
    data: await readOrderPage(deps, { orderId, userId }),
  }));

  route('POST /orders/mine/:orderId/cancel', async ({ params: { orderId }, viewer: { userId } }) => {
    await deps.limits.count('cancel-order', { user: userId });
    return { data: await cancelByBuyer(deps, { orderId, userId }) };
  });

  route('POST /admin/orders/:id/evidence', async ({ params: { id: orderId }, reply, actor }) => {
    const { name, page } = await makeEvidence(deps, { orderId, actor });
    reply.header('content-disposition', `attachment; filename="${name}"`);
    return Readable.from([page]);
  });

  route('GET /orders/:orderId/receipts', async ({ params: { orderId }, viewer }) => ({
    data: await readReceipts(deps, { orderId, viewer }),
  }));
}
