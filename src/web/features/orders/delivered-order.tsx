import { LifeBuoy, PackageOpen, ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { formatMoment } from '../../../shared/dates.ts';
import { orderNumber } from '../../../shared/order-number.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DeliveredProduct } from './delivered-product.tsx';
import { ITEMS_ARE_GONE, isWhollyRefunded, RefundList } from './refund-list.tsx';

/** An order's page: what it delivered, how to handle that, and where to get help. */
export function DeliveredOrder({ order, back }: { order: DeliveredItems; back: ReactNode }) {
  const number = orderNumber(order.orderId);
  const isRefunded = isWhollyRefunded(order);
  return (
    <>
      <div className="grid gap-1">
        {back}
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="tabular text-2xl">Order #{number}</h1>
          {order.refundStatus && (
            <>
              <StatusBadge status={order.status} />
              <StatusBadge status={order.refundStatus} />
            </>
          )}
        </div>
        <p className="text-muted">
          Ordered on <time dateTime={order.orderDate}>{formatMoment(order.orderDate)}</time>
        </p>
      </div>
      {!isRefunded && (
        <p className="flex items-start gap-3 rounded-md bg-warning-soft px-4 py-3 text-warning">
          <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
          Keep these items to yourself. Whoever sees a key or a password can use it, and we never ask you for
          them.
        </p>
      )}
      {order.refunds.length > 0 && (
        <section aria-label="Refunds" className="grid gap-2 rounded-md bg-sunken px-4 py-3">
          {isRefunded && <p className="font-semibold">{ITEMS_ARE_GONE}</p>}
          <RefundList refunds={order.refunds} />
        </section>
      )}
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
