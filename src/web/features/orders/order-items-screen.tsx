import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ShieldX } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { orderNumber } from '../../../shared/order-words.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { RequireSession } from '../../state/require-session.tsx';
import { useSession } from '../../state/session.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { DeliveredOrder } from './delivered-order.tsx';

export function OrderItemsScreen() {
  const { orderId = '' } = useParams();
  useTitle(`Order #${orderNumber(orderId)}`);
  return (
    <RequireSession>
      <div className="mx-auto grid w-full max-w-[60rem] gap-6 px-4 py-8 sm:px-6">
        <OrderItems key={orderId} orderId={orderId} />
      </div>
    </RequireSession>
  );
}

/** The server records every answer as a reveal, so it is asked for once a visit and dropped on leaving. */
function useDeliveredItems(orderId: string) {
  const { user } = useSession();
  return useQuery({
    queryKey: ['mine', user?._id, 'order-items', orderId],
    queryFn: async () => (await call('GET /digital-orders/:orderId/items', { params: { orderId } })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

function OrderItems({ orderId }: { orderId: string }) {
  const { data, error } = useDeliveredItems(orderId);
  if (error) return <AccessDenied message={messageOf(error, 'Failed to load order items')} />;
  if (data === undefined) {
    return (
      <div role="status" className="grid gap-6">
        <span className="sr-only">Loading your items</span>
        <Skeleton className="h-14 w-72 max-w-full" />
        <Skeleton className="h-80" />
      </div>
    );
  }
  return (
    <DeliveredOrder
      order={data}
      back={
        <Link
          to="/orders"
          className="inline-flex min-h-11 items-center gap-2 justify-self-start font-semibold text-accent-ink">
          <ArrowLeft aria-hidden className="size-5" />
          Back to Orders
        </Link>
      }
    />
  );
}

function AccessDenied({ message }: { message: string }) {
  return (
    <EmptyState
      heading="h1"
      icon={ShieldX}
      title="Access Denied"
      action={<ButtonLink to="/orders">Back to Orders</ButtonLink>}>
      <p role="alert">{message}</p>
    </EmptyState>
  );
}
