import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { actorOf } from '../audit/write-audit.ts';
import type { OrderFilter } from './order-filter.queries.ts';
import { listOrders } from './order-list.queries.ts';
import { presentDeskOrder } from './present-desk-order.ts';
import { readOrderPage } from './read-order-page.ts';
import { refundByAdmin } from './refund-by-admin.ts';
import { replaceItem } from './replace-item.ts';
import { resendMail } from './resend-mail.ts';
import { updateOrderStatus } from './update-order-status.ts';

export function orderDeskRoutes(route: Route, deps: Deps): void {
  const listPage = async (filter: OrderFilter) => {
    const { rows, ...page } = await listOrders(deps.db, filter);
    return { data: rows.map(presentDeskOrder), ...page };
  };

  route('GET /admin/orders', ({ query }) => listPage(query));
  route('GET /orders', ({ query }) => listPage({ ...query, type: 'physical' }));
  route('GET /admin/digital-orders', ({ query }) => listPage({ ...query, type: 'digital' }));

  route('GET /admin/orders/:id', async ({ params }) => ({ data: await readOrderPage(deps, params.id) }));

  route('PUT /admin/orders/:id/status', async ({ params, body, viewer, request }) => {
    await updateOrderStatus(deps, { ...body, orderId: params.id, actor: actorOf(viewer, request) });
    return { data: await readOrderPage(deps, params.id) };
  });

  route('POST /admin/orders/:id/refund', async ({ params, body, viewer, request }) => {
    await refundByAdmin(deps, { ...body, orderId: params.id, actor: actorOf(viewer, request) });
    return { data: await readOrderPage(deps, params.id) };
  });

  route('POST /admin/orders/:id/replace-item', async ({ params, body, viewer, request }) => {
    const { item: itemId, reason } = body;
    await replaceItem(deps, { orderId: params.id, itemId, reason, actor: actorOf(viewer, request) });
    return { data: await readOrderPage(deps, params.id) };
  });

  route('POST /admin/orders/:id/resend-mail', async ({ params, viewer, request }) => {
    await resendMail(deps, { orderId: params.id, actor: actorOf(viewer, request) });
    return {};
  });
}
