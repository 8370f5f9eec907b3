import { KeyRound, Package } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { Moment } from '../../../lib/moment.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { OrderStatusBadges } from '../../../ui/order-parts.tsx';
import { formatDollars } from '../figures.tsx';

interface OrderHeadProps {
  order: Pick<AdminOrder, 'orderType' | 'status' | 'refundStatus' | 'createdAt' | 'totalPrice'>;
  /** The order's number; left out if the page already names the order. */
  children?: ReactNode;
  badge?: ReactNode;
  totalClass?: string;
}

/** An order's type, status, date and total, in one line if there is room. */
export function OrderHead({ order, badge, totalClass, children }: OrderHeadProps) {
  const [Icon, type] = order.orderType === 'digital' ? [KeyRound, 'Digital'] : [Package, 'Physical'];
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <div className="flex min-w-0 flex-1 basis-32 flex-wrap items-center gap-x-3 gap-y-1.5">
        <span className="inline-flex items-center gap-1.5 text-sm font-semibold text-accent-ink">
          <Icon aria-hidden className="size-5" />
          {type}
        </span>
        {children}
        <OrderStatusBadges order={order} />
        {badge}
        <Moment at={order.createdAt} className="text-sm text-muted max-sm:w-full" />
      </div>
      <p className={classNames('tabular font-bold', totalClass)}>
        <span className="sr-only">Total </span>
        {formatDollars(order.totalPrice)}
      </p>
    </div>
  );
}
