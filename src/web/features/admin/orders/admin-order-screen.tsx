import { PackageX } from 'lucide-react';
import { useParams } from 'react-router';
import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { call } from '../../../lib/api-client.ts';
import { Card } from '../../../ui/card.tsx';
import { AdminPage, QueryState } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderFacts, OrderTimeline } from './order-facts.tsx';
import { OrderLines } from './order-lines.tsx';
import { OrderHead, PaidBadge } from './order-parts.tsx';

export function AdminOrderScreen() {
  const { id = '' } = useParams();
  return (
    <AdminPage title={`Order #${orderNumber(id)}`} tab="orders">
      <AdminOrder key={id} id={id} />
    </AdminPage>
  );
}

const isUnfinished = ({ refunds, mails }: AdminOrderPage) =>
  refunds.some(({ state }) => state === 'pending') || mails.some(({ sentAt }) => sentAt === null);

function AdminOrder({ id }: { id: string }) {
  const query = useAdminData(
    ['order', id],
    async () => (await call('GET /admin/orders/:id', { params: { id } })).data,
    isUnfinished,
  );
  return (
    <QueryState what="order" icon={PackageX} query={query}>
      {(order) => (
        <>
          <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
            <OrderHead order={order} badge={<PaidBadge isPaid={order.isPaid} />} totalClass="text-xl" />
            <OrderActions order={order} />
          </Card>
          <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
            <div className="grid grid-cols-1 gap-6">
              <OrderLines order={order} />
              <OrderTimeline events={order.timeline} />
            </div>
            <OrderFacts order={order} />
          </div>
        </>
      )}
    </QueryState>
  );
}
