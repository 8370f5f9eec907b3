import { Link } from 'react-router';
import type { AdminUserPage } from '../../../../shared/admin.ts';
import { formatMoment } from '../../../../shared/dates.ts';
import { orderNumber } from '../../../../shared/order-number.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Section } from '../facts.tsx';
import { dollars } from '../figures.ts';
import { OrderType } from '../orders/order-parts.tsx';

export function UserOrders({ user: { _id, email, orders, orderCount } }: { user: AdminUserPage }) {
  return (
    <Section title="Orders">
      {orders.length === 0 && <p className="text-sm text-muted">No orders yet</p>}
      <ul className="grid divide-y divide-line empty:hidden">
        {orders.map((order) => (
          <li
            key={order._id}
            className="relative flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3"
          >
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
              <Link
                to={`/admin/orders/${order._id}`}
                className="tabular rounded-sm font-semibold text-accent-ink underline after:absolute after:inset-0"
              >
                #{orderNumber(order._id)}
              </Link>
              <OrderType type={order.orderType} />
              <StatusBadge status={order.status} />
              {order.refundStatus && <StatusBadge status={order.refundStatus} />}
              <time dateTime={order.createdAt} className="text-sm text-muted">
                {formatMoment(order.createdAt)}
              </time>
            </div>
            <p className="tabular font-bold">
              <span className="sr-only">Total </span>
              {dollars(order.totalPrice)}
            </p>
          </li>
        ))}
      </ul>
      {orderCount > orders.length && (
        <Link
          key={_id}
          to={`/admin?tab=orders&q=${encodeURIComponent(email)}`}
          className="justify-self-start text-sm font-semibold text-accent-ink underline"
        >
          All orders with this email
        </Link>
      )}
    </Section>
  );
}
