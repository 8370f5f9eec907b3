import { useQueryClient } from '@tanstack/react-query';
import { PackageX, ShieldX } from 'lucide-react';
import { type ComponentType, useId, useState } from 'react';
import { useParams } from 'react-router';
import { formatDollars } from '../../../shared/currency.ts';
import { cardName, orderNumber } from '../../../shared/format.ts';
import type { OrderPage } from '../../../shared/order-page.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { call, isTransient } from '../../lib/api-client.ts';
import { DroppedWhenLeft } from '../../lib/dropped-when-left.ts';
import { useTitle } from '../../lib/page.ts';
import { useMine, useOwnReviews } from '../../state/account-status.ts';
import { isAwaited, messageOfRead, refetchWhile, useDialogCall } from '../../state/answers.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState, Skeleton } from '../../ui/display.tsx';
import { Form, ReturnLink } from '../../ui/form-page.tsx';
import { LoadFailure, Loading, TryAgain } from '../../ui/loading.tsx';
import { OrderStatusBadges } from '../../ui/order-parts.tsx';
import { ITEMS_ARE_GONE, isWhollyRefunded, OrderPageHead, RefundList } from './order-details.tsx';
import { BuyAgainButton, DeliveredGoods, OrderSections } from './order-sections.tsx';
import { useProblemReports } from './problem-reports.tsx';

/** The page of an order for its signed-in buyer. FindOrderScreen shows an order that was opened by a mailed code. */
export const OrderPageScreen = () => <OfOrder title="Order" show={OwnOrder} />;

export const OrderItemsScreen = () => (
  <DroppedWhenLeft>
    <OfOrder title="Items of order" show={OrderItems} />
  </DroppedWhenLeft>
);

interface OfOrderProps {
  title: string;
  show: ComponentType<{ orderId: string }>;
}

function OfOrder({ title, show: Show }: OfOrderProps) {
  const { orderId = '' } = useParams();
  useTitle(`${title} #${orderNumber(orderId)}`);
  return (
    <div className="mx-auto grid w-full max-w-[60rem] grid-cols-1 gap-6 px-4 py-8 sm:px-6">
      <Show key={orderId} orderId={orderId} />
    </div>
  );
}

const back = <ReturnLink to="/orders">Back to Orders</ReturnLink>;

/**
 * Whether the order will change by itself: it is being paid or refunded, or a receipt or credit note is missing. A
 * payment gets a receipt, and a refund that is done gets a credit note, within seconds.
 */
const isUnfinished = ({ status, isPaid, refundStatus, refunds, receipts }: OrderPage) => {
  if (!isPaid) return status === 'Processing';
  const done = refunds.filter(({ state }) => state === 'done');
  return refundStatus === 'Refund under way' || receipts.length < 1 + done.length;
};

function OwnOrder({ orderId }: { orderId: string }) {
  const query = useMine(['order', orderId], () => call('GET /orders/mine/:orderId', { params: { orderId } }), {
    refetchInterval: refetchWhile(isUnfinished),
  });
  const { data, error } = query;
  const reviews = useOwnReviews();
  const reports = useProblemReports(orderId, { enabled: data?.hasItems === true });
  if (data && !isAwaited(reviews) && !isAwaited(reports)) {
    return (
      <>
        <OrderPageHead orderId={data._id} orderedAt={data.createdAt} back={back}>
          <OrderStatusBadges order={data} />
        </OrderPageHead>
        <div className="flex flex-wrap gap-3">
          <BuyAgainButton order={data} />
          <CancelOrder order={data} />
        </div>
        <OrderSections order={data} />
      </>
    );
  }
  if (error) {
    const text = messageOfRead(error, 'Order', 'Failed to load the order');
    return (
      <>
        {back}
        <LoadFailure heading="h1" icon={PackageX} title="This order cannot be shown" text={text} query={query} />
      </>
    );
  }
  return (
    <Loading label="Loading your order">
      <Skeleton className="h-20 w-72 max-w-full" />
      <Skeleton className="h-48" />
      <Skeleton className="h-72" />
    </Loading>
  );
}

function CancelOrder({ order }: { order: OrderPage }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      {order.cancellable && (
        <Button variant="danger" onClick={() => setIsOpen(true)}>
          Cancel order
        </Button>
      )}
      <Dialog isOpen={isOpen} onClose={close} title="Cancel this order?">
        <CancelForm order={order} onClose={close} />
      </Dialog>
    </>
  );
}

function CancelForm({ order, onClose }: { order: OrderPage; onClose(): void }) {
  const { show } = useToasts();
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: ['mine'] });
  const form = useDialogCall({
    send: async () => {
      await call('POST /orders/mine/:orderId/cancel', { params: { orderId: order._id } });
      await reload();
      show({ type: 'success', message: 'Your order is cancelled' });
    },
    errorMessage: 'The order could not be cancelled',
    onClose,
    // The order may have been opened, shipped or cancelled elsewhere in the meantime.
    onFailure: () => void reload(),
  });
  return (
    <Form {...form} action="Cancel order" danger cancel="Keep order" onCancel={onClose}>
      <p>
        <strong className="tabular">{formatDollars(order.totalPrice)}</strong> goes back to {cardName(order.card)}
        {order.hasItems && ', and the items are withdrawn'}. This cannot be undone.
      </p>
    </Form>
  );
}

function OrderItems({ orderId }: { orderId: string }) {
  const read = () => call('GET /digital-orders/:orderId/items', { params: { orderId } });
  const query = useMine(['order-items', orderId, useId()], read, {
    // The server records every response as a reveal. So make only one call per visit, even if all of the buyer's data
    // is invalidated, and drop the response on leaving: useId() names the visit. After a failure, retry once the shop can
    // be reached.
    staleTime: ({ state }) => (state.data === undefined ? 0 : 'static'),
    gcTime: 0,
  });
  const { data, error } = query;
  const reports = useProblemReports(orderId, { enabled: data !== undefined });
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
  if (data === undefined || isAwaited(reports)) {
    return (
      <Loading label="Loading your items">
        <Skeleton className="h-14 w-72 max-w-full" />
        <Skeleton className="h-80" />
      </Loading>
    );
  }
  return <DeliveredOrder order={data} reports={reports} />;
}

interface DeliveredOrderProps {
  order: DeliveredItems;
  reports: ReturnType<typeof useProblemReports>;
}

function DeliveredOrder({ order, reports }: DeliveredOrderProps) {
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
