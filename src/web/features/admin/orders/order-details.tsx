import type { AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatMoment } from '../../../../shared/dates.ts';
import { Card } from '../../../ui/card.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { dollars } from '../figures.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderBuyer, OrderPayment, OrderShipping } from './order-facts.tsx';
import { OrderLines } from './order-lines.tsx';
import { OrderType, PaidBadge } from './order-parts.tsx';
import { OrderMails, OrderRefunds, OrderTimeline } from './order-records.tsx';

export function OrderDetails({ order }: { order: AdminOrderPage }) {
  return (
    <>
      <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <OrderType type={order.orderType} />
            <StatusBadge status={order.status} />
            {order.refundStatus && <StatusBadge status={order.refundStatus} />}
            <PaidBadge isPaid={order.isPaid} />
            <time dateTime={order.createdAt} className="text-sm text-muted">
              {formatMoment(order.createdAt)}
            </time>
          </div>
          <p className="tabular text-xl font-bold">
            <span className="sr-only">Total </span>
            {dollars(order.totalPrice)}
          </p>
        </div>
        <OrderActions order={order} />
      </Card>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid grid-cols-1 gap-6">
          <OrderLines order={order} />
          <OrderTimeline events={order.timeline} />
        </div>
        <div className="grid grid-cols-1 gap-6">
          <OrderBuyer order={order} />
          <OrderPayment order={order} />
          {order.orderType === 'physical' && <OrderShipping order={order} />}
          <OrderRefunds refunds={order.refunds} />
          <OrderMails mails={order.mails} />
        </div>
      </div>
    </>
  );
}
