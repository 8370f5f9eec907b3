import { CircleAlert, PackageOpen } from 'lucide-react';
import { Link } from 'react-router';
import { useTitle } from '../../lib/use-title.ts';
import { useEmailVerification } from '../../state/email-verification.ts';
import { useSeenOrders } from '../../state/payment-under-way.ts';
import { RequireSession } from '../../state/require-session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { VerifyEmail } from '../../ui/verify-email.tsx';
import { OrderCard } from './order-card.tsx';
import { useOrders } from './use-orders.ts';

export function OrdersScreen() {
  useTitle('My Orders');
  return (
    <RequireSession>
      <div className="mx-auto grid w-full max-w-[60rem] gap-6 px-4 py-8 sm:px-6">
        <h1 className="text-2xl">My Orders</h1>
        <Verification />
        <OrderList />
      </div>
    </RequireSession>
  );
}

function Verification() {
  const verification = useEmailVerification();
  return verification && <VerifyEmail {...verification} />;
}

function OrderList() {
  const { data: orders, isError, isFetching, refetch } = useOrders();
  useSeenOrders(orders?.map(({ _id }) => _id) ?? []);
  if (orders === undefined && isError) {
    return (
      <div role="alert">
        <EmptyState
          icon={CircleAlert}
          title="Failed to load orders"
          action={
            <Button loading={isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
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
      <EmptyState
        icon={PackageOpen}
        title="No Orders Yet"
        action={
          <Link to="/" className={buttonClass()}>
            Start Shopping
          </Link>
        }
      >
        What you buy is found here, ready to open.
      </EmptyState>
    );
  }
  return orders.map((order) => <OrderCard key={order._id} order={order} />);
}
