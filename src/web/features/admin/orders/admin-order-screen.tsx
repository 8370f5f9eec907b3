import { CircleAlert, PackageX } from 'lucide-react';
import { Link, useLocation, useParams } from 'react-router';
import { orderNumber } from '../../../../shared/order-number.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useAdminData } from '../admin-queries.ts';
import { OrderDetails } from './order-details.tsx';

const LIST = '?tab=orders';

export function AdminOrderScreen() {
  const { id = '' } = useParams();
  const { state } = useLocation();
  // The list as it was narrowed when the order was gone to.
  const list = `/admin${(state as { from?: string } | null)?.from ?? LIST}`;
  return (
    <AdminPage title={`Order #${orderNumber(id)}`} back={list}>
      <AdminOrder key={id} id={id} list={list} />
    </AdminPage>
  );
}

function AdminOrder({ id, list }: { id: string; list: string }) {
  const { data, error, isFetching, refetch } = useAdminData(
    ['order', id],
    async () => (await call('getAdminOrder', { params: { id } })).data,
    ({ refunds, mails }) =>
      refunds.some(({ state }) => state === 'pending') || mails.some(({ sentAt }) => sentAt === null),
  );
  if (data) return <OrderDetails order={data} />;
  // What is no id cannot be one of an order.
  if (error instanceof CallError && (error.status === 404 || error.status === 400)) {
    return (
      <EmptyState
        icon={PackageX}
        title="Order not found"
        action={
          <Link to={list} className={buttonClass()}>
            Back to Orders
          </Link>
        }
      >
        There is no order at this address.
      </EmptyState>
    );
  }
  if (error) {
    return (
      <div role="alert">
        <EmptyState
          icon={CircleAlert}
          title="Failed to load the order"
          action={
            <Button loading={isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {messageOf(error, '')}
        </EmptyState>
      </div>
    );
  }
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading the order</span>
      <Skeleton className="h-28" />
      <Skeleton className="h-96" />
    </div>
  );
}
