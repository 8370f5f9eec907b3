import type { Deps } from '../../deps.ts';
import type { PageStart } from '../../platform/database/list-queries.ts';
import { clientOf, type Viewer } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { handOutGrant } from '../files/send-file.ts';
import { correctEmail } from './correct-email.ts';
import { deliverUnit } from './deliver-unit.ts';
import { grantDownload } from './grant-download.ts';
import { listOrders, type OrderFilter } from './list-orders.queries.ts';
import { listOrdersOfUser } from './orders.queries.ts';
import { presentAdminOrder, presentOwnOrder } from './present-order.ts';
import { readAdminOrderPage } from './read-admin-order-page.ts';
import { refundByAdmin } from './refund-order.ts';
import { replaceItem } from './replace-item.ts';
import { resendMail } from './resend-mail.ts';
import { retryRefund, settleRefund } from './retry-refund.ts';
import { revealItems } from './reveal-items.ts';
import { deliverParcel, shipParcel } from './ship-order.ts';
import { unfreezeOrder } from './unfreeze-order.ts';
import { type ReleaseUnpaid, updateOrderStatus } from './update-order-status.ts';
import { writeNote } from './write-note.ts';

export function ordersRoutes(route: Route, deps: Deps, releaseUnpaid: ReleaseUnpaid): void {
  const ordersOf = async (viewer: Viewer, type: 'digital' | 'physical', page: PageStart) => {
    const { orders, nextCursor } = await listOrdersOfUser(deps.db, viewer.userId, { type, ...page });
    return { data: orders.map((order) => presentOwnOrder(order, viewer)), nextCursor };
  };
  route('GET /digital-orders/myorders', ({ viewer, query }) => ordersOf(viewer, 'digital', query));
  route('GET /orders/myorders', ({ viewer, query }) => ordersOf(viewer, 'physical', query));

  route('GET /digital-orders/:orderId/items', async ({ params: { orderId }, viewer: { userId }, request }) => {
    return { data: await revealItems(deps, { orderId, userId, client: clientOf(request) }) };
  });

  route('POST /digital-orders/:orderId/items/:itemId/download', async ({ params, viewer, request, reply }) => {
    const { userId, sessionId } = viewer;
    const grant = await grantDownload(deps, { ...params, userId, sessionId, client: clientOf(request) });
    return { data: handOutGrant(deps, reply, grant) };
  });

  const listPage = async (filter: OrderFilter) => {
    const { rows, ...page } = await listOrders(deps.db, filter);
    return { data: rows.map(presentAdminOrder), ...page };
  };

  route('GET /admin/orders', ({ query }) => listPage(query));
  route('GET /orders', ({ query }) => listPage({ ...query, type: 'physical' }));
  route('GET /admin/digital-orders', ({ query }) => listPage({ ...query, type: 'digital' }));

  const pageOf = async ({ id }: { id: string }) => ({ data: await readAdminOrderPage(deps, id) });
  route('GET /admin/orders/:id', ({ params }) => pageOf(params));

  route('PUT /admin/orders/:id/status', async ({ params, body, actor }) => {
    const change = { ...body, orderId: params.id, actor };
    await updateOrderStatus(deps, change, releaseUnpaid);
    return pageOf(params);
  });

  route('POST /admin/orders/:id/ship', async ({ params, body, actor }) => {
    await shipParcel(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/deliver-parcel', async ({ params, body: { parcel }, actor }) => {
    await deliverParcel(deps, { orderId: params.id, parcelId: parcel, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/refund', async ({ params, body, actor }) => {
    await refundByAdmin(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/retry-refund', async ({ params, body, actor }) => {
    await retryRefund(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/settle-refund', async ({ params, body, actor }) => {
    await settleRefund(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/unfreeze', async ({ params, body, actor }) => {
    await unfreezeOrder(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/notes', async ({ params, body, actor }) => {
    await writeNote(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/correct-email', async ({ params, body, viewer, actor }) => {
    await correctEmail(deps, { ...viewer, ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/deliver-unit', async ({ params, body, actor }) => {
    await deliverUnit(deps, { ...body, orderId: params.id, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/replace-item', async ({ params, body: { item, ...body }, actor }) => {
    await replaceItem(deps, { ...body, orderId: params.id, itemId: item, actor });
    return pageOf(params);
  });

  route('POST /admin/orders/:id/resend-mail', async ({ params, actor }) => {
    await resendMail(deps, { orderId: params.id, actor });
    return {};
  });
}
