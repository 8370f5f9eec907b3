import type { Deps } from '../../deps.ts';
import { clientOf, type Viewer } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { setGrantCookie } from '../files/send-file.ts';
import { deliverUnit, replaceItem, resendMail, writeNote } from './admin-order-actions.ts';
import { correctEmail } from './correct-email.ts';
import { retryRefund, settleRefund } from './finish-refunds.ts';
import { listOrders, type OrderFilter } from './list-orders.queries.ts';
import { listOrdersOfUser, type OwnOrders } from './own-orders.queries.ts';
import { presentAdminOrder, presentOwnOrder } from './present-order.ts';
import { readAdminOrderPage } from './read-admin-order-page.ts';
import { refundByAdmin } from './refund-order.ts';
import { grantDownload, revealItems } from './reveal-items.ts';
import { deliverParcel, shipParcel } from './ship-order.ts';
import { unfreezeOrder } from './unfreeze-order.ts';
import { type ReleaseUnpaid, updateOrderStatus } from './update-order-status.ts';

export function ordersRoutes(route: Route, deps: Deps, releaseUnpaid: ReleaseUnpaid): void {
  const ordersOf = async (viewer: Viewer, type: 'digital' | 'physical', page: Omit<OwnOrders, 'type'>) => {
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
    return { data: setGrantCookie(deps, reply, grant) };
  });

  const listPage = async (filter: OrderFilter) => {
    const { rows, ...page } = await listOrders(deps.db, filter);
    return { data: rows.map(presentAdminOrder), ...page };
  };

  route('GET /admin/orders', ({ query }) => listPage(query));
  route('GET /orders', ({ query }) => listPage({ ...query, type: 'physical' }));
  route('GET /admin/digital-orders', ({ query }) => listPage({ ...query, type: 'digital' }));

  const pageOf = async (id: string) => ({ data: await readAdminOrderPage(deps, id) });
  const after = async (id: string, change: Promise<void>) => {
    await change;
    return pageOf(id);
  };

  route('GET /admin/orders/:id', ({ params }) => pageOf(params.id));
  route('PUT /admin/orders/:id/status', ({ params: { id }, body, actor }) =>
    after(id, updateOrderStatus(deps, { ...body, orderId: id, actor }, releaseUnpaid)),
  );
  route('POST /admin/orders/:id/ship', ({ params: { id }, body, actor }) =>
    after(id, shipParcel(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/deliver-parcel', ({ params: { id }, body: { parcel }, actor }) =>
    after(id, deliverParcel(deps, { orderId: id, parcelId: parcel, actor })),
  );
  route('POST /admin/orders/:id/refund', ({ params: { id }, body, actor }) =>
    after(id, refundByAdmin(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/retry-refund', ({ params: { id }, body, actor }) =>
    after(id, retryRefund(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/settle-refund', ({ params: { id }, body, actor }) =>
    after(id, settleRefund(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/unfreeze', ({ params: { id }, body, actor }) =>
    after(id, unfreezeOrder(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/notes', ({ params: { id }, body, actor }) =>
    after(id, writeNote(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/correct-email', ({ params: { id }, body, viewer, actor }) =>
    after(id, correctEmail(deps, { ...viewer, ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/deliver-unit', ({ params: { id }, body, actor }) =>
    after(id, deliverUnit(deps, { ...body, orderId: id, actor })),
  );
  route('POST /admin/orders/:id/replace-item', ({ params: { id }, body: { item, ...body }, actor }) =>
    after(id, replaceItem(deps, { ...body, orderId: id, itemId: item, actor })),
  );
  route('POST /admin/orders/:id/resend-mail', ({ params: { id }, body, actor }) =>
    resendMail(deps, { ...body, orderId: id, actor }),
  );
}
