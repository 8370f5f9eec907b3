import { PackageX } from 'lucide-react';
import { useParams } from 'react-router';
import { orderNumber } from '../../../../shared/order-number.ts';
import { call } from '../../../lib/api-client.ts';
import { AdminPage } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { useListAddress } from '../dashboard-url.ts';
import { Opened } from '../opened.tsx';
import { OrderDetails } from './order-details.tsx';

export function AdminOrderScreen() {
  const { id = '' } = useParams();
  const list = useListAddress('orders');
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
    <Opened what="order" icon={PackageX} read={order} list={list}>
      {(data) => <OrderDetails order={data} />}
    </Opened>
  );
}
