import type { ReactNode } from 'react';
import { formatMoment } from '../../../../shared/format.ts';
import type { OrderPage } from '../../../../shared/order-page.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { StatusBadge } from '../../../ui/badge.tsx';

export function OrderPageHead({ order, back }: { order: OrderPage; back: ReactNode }) {
  return (
    <div className="grid gap-1">
      {back}
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="tabular text-2xl">Order #{orderNumber(order._id)}</h1>
        <StatusBadge status={order.status} />
        {order.refundStatus && <StatusBadge status={order.refundStatus} />}
      </div>
      <p className="text-muted">
        Ordered on <time dateTime={order.createdAt}>{formatMoment(order.createdAt)}</time>
      </p>
    </div>
  );
}
