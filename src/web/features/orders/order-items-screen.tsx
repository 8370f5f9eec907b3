import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, LifeBuoy, PackageOpen, ShieldAlert, ShieldX } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { orderNumber } from '../../../shared/order-number.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/use-title.ts';
import { RequireSession } from '../../state/require-session.tsx';
import { useSession } from '../../state/session.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatDay } from './dates.ts';
import { DeliveredProduct } from './delivered-product.tsx';

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

/** Every answer is a reveal that the shop writes down, so it is asked for once a visit and forgotten on leaving. */
function useDeliveredItems(orderId: string) {
  const { user } = useSession();
  return useQuery({
    queryKey: ['mine', user?._id, 'order-items', orderId],
    queryFn: async () => (await call('getOrderItems', { params: { orderId } })).data,
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
  return <Delivered order={data} />;
}

function Delivered({ order }: { order: DeliveredItems }) {
  const number = orderNumber(order.orderId);
  return (
    <>
      <div className="grid gap-1">
        <Link
          to="/orders"
          className="inline-flex min-h-11 items-center gap-2 justify-self-start font-semibold text-accent-ink"
        >
          <ArrowLeft aria-hidden className="size-5" />
          Back to Orders
        </Link>
        <h1 className="tabular text-2xl">Order #{number}</h1>
        <p className="text-muted">
          Ordered on <time dateTime={order.orderDate}>{formatDay(order.orderDate)}</time>
        </p>
      </div>
      <p className="flex items-start gap-3 rounded-md bg-warning-soft px-4 py-3 text-warning">
        <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
        Keep these items to yourself. Whoever sees a key or a password can use it, and we never ask you for
        them.
      </p>
      {order.items.length === 0 ? (
        <EmptyState icon={PackageOpen} title="No items available. Please contact support." />
      ) : (
        order.items.map((product) => (
          <DeliveredProduct key={product.items[0]?.id ?? product.productName} product={product} />
        ))
      )}
      <section
        aria-labelledby="need-help"
        className="flex gap-4 rounded-lg bg-accent-soft p-5 text-accent-ink"
      >
        <LifeBuoy aria-hidden className="size-6 shrink-0" />
        <div className="grid gap-1">
          <h2 id="need-help" className="text-lg">
            Need Help?
          </h2>
          <p>
            If an item does not work,{' '}
            <Link to="/info/support" className="font-semibold underline">
              contact support
            </Link>{' '}
            and name your order, #{number}. Never send the item itself.
          </p>
        </div>
      </section>
    </>
  );
}

function AccessDenied({ message }: { message: string }) {
  return (
    <EmptyState
      heading="h1"
      icon={ShieldX}
      title="Access Denied"
      action={
        <Link to="/orders" className={buttonClass()}>
          Back to Orders
        </Link>
      }
    >
      <p role="alert">{message}</p>
    </EmptyState>
  );
}
