import { useQuery } from '@tanstack/react-query';
import { ShieldX } from 'lucide-react';
import { useParams } from 'react-router';
import { orderNumber } from '../../../shared/order-words.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { call, isTransient } from '../../lib/api-client.ts';
import { messageOfRead } from '../../lib/failures.ts';
import { useTitle } from '../../lib/page.ts';
import { useSession } from '../../state/session.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { ReturnLink } from '../../ui/form-page.tsx';
import { Loading, TryAgain } from '../../ui/loading.tsx';
import { OrderStatusBadges } from '../../ui/order-parts.tsx';
import { DeliveredGoods } from './delivered-order.tsx';
import { ITEMS_ARE_GONE, isWhollyRefunded, OrderPageHead, RefundList } from './order-card.tsx';
import { useProblemReports } from './problem-reports.tsx';

export function OrderItemsScreen() {
  const { orderId = '' } = useParams();
  useTitle(`Order #${orderNumber(orderId)}`);
  return (
    <div className="mx-auto grid w-full max-w-[60rem] grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      <OrderItems key={orderId} orderId={orderId} />
    </div>
  );
}

function OrderItems({ orderId }: { orderId: string }) {
  const { user } = useSession();
  const query = useQuery({
    queryKey: ['mine', user?._id, 'order-items', orderId],
    queryFn: async () => (await call('GET /digital-orders/:orderId/items', { params: { orderId } })).data,
    // The server records every response as a reveal. So make only one call per visit, even if all of the buyer's data
    // is invalidated, and drop the response on leaving. After a failure, retry once the shop can be reached.
    staleTime: ({ state }) => (state.data === undefined ? 0 : 'static'),
    gcTime: 0,
  });
  const { data, error } = query;
  if (error) {
    const action = (
      <div className="flex flex-wrap justify-center gap-3">
        {isTransient(error) && <TryAgain query={query} variant="secondary" />}
        <ButtonLink to="/orders">Back to Orders</ButtonLink>
      </div>
    );
    return (
      <EmptyState heading="h1" icon={ShieldX} title="Access Denied" action={action}>
        <p role="alert">{messageOfRead(error, 'Order', 'Failed to load order items')}</p>
      </EmptyState>
    );
  }
  if (data === undefined) {
    return (
      <Loading label="Loading your items">
        <Skeleton className="h-14 w-72 max-w-full" />
        <Skeleton className="h-80" />
      </Loading>
    );
  }
  return <DeliveredOrder order={data} />;
}

function DeliveredOrder({ order }: { order: DeliveredItems }) {
  const reports = useProblemReports(order.orderId);
  const back = <ReturnLink to="/orders">Back to Orders</ReturnLink>;
  return (
    <>
      <OrderPageHead orderId={order.orderId} orderedAt={order.orderDate} back={back}>
        {order.refundStatus && <OrderStatusBadges order={order} />}
      </OrderPageHead>
      {order.refunds.length > 0 && (
        <section aria-label="Refunds" className="grid gap-2 rounded-md bg-sunken px-4 py-3">
          {isWhollyRefunded(order) && <p className="font-semibold">{ITEMS_ARE_GONE}</p>}
          <RefundList refunds={order.refunds} />
        </section>
      )}
      <DeliveredGoods order={order} reports={reports} />
    </>
  );
}
