import { useQuery } from '@tanstack/react-query';
import { CircleAlert, PackageOpen } from 'lucide-react';
import type { Order } from '../../../shared/orders.ts';
import { call } from '../../lib/api-client.ts';
import { askAgainWhile } from '../../lib/ask-again.ts';
import { useTitle } from '../../lib/page.ts';
import { useEmailVerification } from '../../state/account-status.ts';
import { useSeenOrders } from '../../state/payment-under-way.ts';
import { useSession } from '../../state/session.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { VerifyEmail } from '../../ui/verify-email.tsx';
import { OrderCard } from './order-card.tsx';

export function OrdersScreen() {
  const verification = useEmailVerification();
  useTitle('My Orders');
  return (
    <div className="mx-auto grid w-full max-w-[60rem] gap-6 px-4 py-8 sm:px-6">
      <h1 className="text-2xl">My Orders</h1>
      {verification && <VerifyEmail {...verification} />}
      <OrderList />
    </div>
  );
}

function OrderList() {
  const { user } = useSession();
  const {
    data: orders,
    isError,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['mine', user?._id, 'orders'],
    queryFn: readOrders,
    refetchInterval: askAgainWhile((mine) => mine.some(awaitsDelivery)),
  });
  useSeenOrders(orders?.map(({ _id }) => _id) ?? []);
  if (orders === undefined && isError) {
    const retry = (
      <Button loading={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    );
    return (
      <div role="alert">
        <EmptyState icon={CircleAlert} title="Failed to load orders" action={retry} />
      </div>
    );
  }
  if (orders === undefined) {
    return (
      <div role="status" className="grid gap-6">
        <span className="sr-only">Loading your orders</span>
        <Skeleton className="h-80" />
        <Skeleton className="h-80" />
      </div>
    );
  }
  if (orders.length === 0) {
    return (
      <EmptyState icon={PackageOpen} title="No Orders Yet" action={<ButtonLink to="/">Start Shopping</ButtonLink>}>
        What you buy is found here, ready to open.
      </EmptyState>
    );
  }
  return orders.map((order) => <OrderCard key={order._id} order={order} />);
}

/** Loads all orders, newest first. If one of the two lists fails, it counts as empty; throws if both fail. */
async function readOrders(): Promise<Order[]> {
  const lists = await Promise.allSettled([call('GET /digital-orders/myorders'), call('GET /orders/myorders')]);
  const failures = lists.filter((list) => list.status === 'rejected');
  if (failures.length === lists.length) throw failures[0]?.reason;
  return lists
    .flatMap((list) => (list.status === 'fulfilled' ? list.value.data : []))
    .sort((left, right) => Date.parse(right.createdAt) - Date.parse(left.createdAt));
}

// The order was just paid. Its delivery takes seconds, unless a person delivers units.
const awaitsDelivery = ({ orderType, status, waitingUnits }: Order) =>
  orderType === 'digital' && status === 'Processing' && waitingUnits === 0;
