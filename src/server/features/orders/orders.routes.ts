import type { Deps } from '../../deps.ts';
import { clientOf, type Viewer } from '../../platform/http/client.ts';
import type { AdminActor, ChangeCall, Route } from '../../platform/http/route.ts';
import { setGrantCookie } from '../files/send-file.ts';
import { deliverUnit, replaceItem, resendMail, unfreezeOrder, writeNote } from './admin-order-actions.ts';
import { withoutSecretsIn } from './admin-orders.queries.ts';
import { correctEmail } from './correct-email.ts';
import { retryRefund, settleRefund } from './finish-refunds.ts';
import { listOrders, listOrdersOfUser, type OrderFilter, type OwnOrders } from './list-orders.queries.ts';
import { presentAdminOrder, presentOwnOrder } from './order-status.ts';
import { readAdminOrderPage } from './read-admin-order-page.ts';
import { refundByAdmin } from './refund-order.ts';
import { grantDownload, revealItems } from './reveal-items.ts';
import { deliverParcel, type ReleaseUnpaid, shipParcel, updateOrderStatus } from './update-order-status.ts';

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

  /** Makes a change for an administrator, and responds with the page of the order. */
  async function changed<B extends object>(
    { params: { id: orderId }, body, actor }: ChangeCall<B>,
    change: (deps: Deps, input: B & { orderId: string; actor: AdminActor }) => Promise<void>,
  ) {
    await change(deps, { ...(await withoutSecretsIn(deps, { orderId, actor }, body)), orderId, actor });
    return pageOf(orderId);
  }

  route('GET /admin/orders/:id', ({ params }) => pageOf(params.id));
  route('PUT /admin/orders/:id/status', (call) =>
    changed(call, (_, input) => updateOrderStatus(deps, input, releaseUnpaid)),
  );
  route('POST /admin/orders/:id/ship', (call) => changed(call, shipParcel));
  route('POST /admin/orders/:id/deliver-parcel', (call) => changed(call, deliverParcel));
  route('POST /admin/orders/:id/refund', (call) => changed(call, refundByAdmin));
  route('POST /admin/orders/:id/retry-refund', (call) => changed(call, retryRefund));
  route('POST /admin/orders/:id/settle-refund', (call) => changed(call, settleRefund));
  route('POST /admin/orders/:id/unfreeze', (call) => changed(call, unfreezeOrder));
  route('POST /admin/orders/:id/notes', (call) => changed(call, writeNote));
  route('POST /admin/orders/:id/correct-email', (call) => changed(call, correctEmail));
  route('POST /admin/orders/:id/deliver-unit', (call) => changed(call, deliverUnit));
  route('POST /admin/orders/:id/replace-item', (call) => changed(call, replaceItem));
  route('POST /admin/orders/:id/resend-mail', ({ params: { id }, body, actor }) =>
    resendMail(deps, { ...body, orderId: id, actor }),
  );
}
