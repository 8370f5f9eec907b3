import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { actorOf } from '../admin/audit-log.ts';
import { listOrders, type OrderFilter } from './list-orders.queries.ts';
import { listOrdersOfUser } from './orders.queries.ts';
import { presentAdminOrder, presentOrder } from './present-order.ts';
import { readAdminOrderPage } from './read-admin-order-page.ts';
import { refundByAdmin } from './refund-order.ts';
import { replaceItem } from './replace-item.ts';
import { resendMail } from './resend-mail.ts';
import { revealItems } from './reveal-items.ts';
import { type ReleaseUnpaid, updateOrderStatus } from './update-order-status.ts';

export function ordersRoutes(route: Route, deps: Deps, releaseUnpaid: ReleaseUnpaid): void {
  route('GET /digital-orders/myorders', async ({ viewer }) => {
    return { data: (await listOrdersOfUser(deps.db, viewer.userId, { type: 'digital' })).map(presentOrder) };
  });

  route('GET /orders/myorders', async ({ viewer }) => {
    return { data: (await listOrdersOfUser(deps.db, viewer.userId, { type: 'physical' })).map(presentOrder) };
  });

  route('GET /digital-orders/:orderId/items', async ({ params: { orderId }, viewer: { userId }, request }) => {
    return { data: await revealItems(deps, { orderId, userId, client: clientOf(request) }) };
  });

  const listPage = async (filter: OrderFilter) => {
    const { rows, ...page } = await listOrders(deps.db, filter);
    return { data: rows.map(presentAdminOrder), ...page };
  };

  route('GET /admin/orders', ({ query }) => listPage(query));
  route('GET /orders', ({ query }) => listPage({ ...query, type: 'physical' }));
  route('GET /admin/digital-orders', ({ query }) => listPage({ ...query, type: 'digital' }));

  route('GET /admin/orders/:id', async ({ params }) => ({ data: await readAdminOrderPage(deps, params.id) }));

  route('PUT /admin/orders/:id/status', async ({ params, body, viewer, request }) => {
    const change = { ...body, orderId: params.id, actor: actorOf(viewer, request) };
    await updateOrderStatus(deps, change, releaseUnpaid);
    return { data: await readAdminOrderPage(deps, params.id) };
  });

  route('POST /admin/orders/:id/refund', async ({ params, body, viewer, request }) => {
    await refundByAdmin(deps, { ...body, orderId: params.id, actor: actorOf(viewer, request) });
    return { data: await readAdminOrderPage(deps, params.id) };
  });

  route('POST /admin/orders/:id/replace-item', async ({ params, body, viewer, request }) => {
    const { item: itemId, reason } = body;
    await replaceItem(deps, { orderId: params.id, itemId, reason, actor: actorOf(viewer, request) });
    return { data: await readAdminOrderPage(deps, params.id) };
  });

  route('POST /admin/orders/:id/resend-mail', async ({ params, viewer, request }) => {
    await resendMail(deps, { orderId: params.id, actor: actorOf(viewer, request) });
    return {};
  });
}
