import { PackageX } from 'lucide-react';
import { useParams } from 'react-router';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { call } from '../../../lib/api-client.ts';
import { Card } from '../../../ui/card.tsx';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { useListPath } from '../dashboard-url.ts';
import { Moment } from '../figures.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderBuyer, OrderMails, OrderPayment, OrderRefunds, OrderShipping, OrderTimeline } from './order-facts.tsx';
import { OrderLines } from './order-lines.tsx';
import { OrderStatus, OrderTotal, OrderType, PaidBadge } from './order-parts.tsx';

export function AdminOrderScreen() {
  const { id = '' } = useParams();
  const list = useListPath('orders');
  return (
    <AdminPage title={`Order #${orderNumber(id)}`} back={list}>
      <AdminOrder key={id} id={id} list={list} />
    </AdminPage>
  );
}

function AdminOrder({ id, list }: { id: string; list: string }) {
  const order = useAdminData(
    ['order', id],
    async () => (await call('GET /admin/orders/:id', { params: { id } })).data,
    ({ refunds, mails }) =>
      refunds.some(({ state }) => state === 'pending') || mails.some(({ sentAt }) => sentAt === null),
  );
  return (
    <QueryState what="order" icon={PackageX} query={order} list={list}>
      {(data) => <OrderDetails order={data} />}
    </QueryState>
  );
}

function OrderDetails({ order }: { order: AdminOrderPage }) {
  return (
    <>
      <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <OrderType type={order.orderType} />
            <OrderStatus order={order} />
            <PaidBadge isPaid={order.isPaid} />
            <Moment at={order.createdAt} className="text-sm text-muted" />
          </div>
          <OrderTotal amount={order.totalPrice} className="text-xl" />
        </div>
        <OrderActions order={order} />
      </Card>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid grid-cols-1 gap-6">
          <OrderLines order={order} />
          <OrderTimeline events={order.timeline} />
        </div>
        <div className="grid grid-cols-1 gap-6">
          <OrderBuyer order={order} />
          <OrderPayment order={order} />
          {order.orderType === 'physical' && <OrderShipping order={order} />}
          <OrderRefunds refunds={order.refunds} />
          <OrderMails mails={order.mails} />
        </div>
      </div>
    </>
  );
}
