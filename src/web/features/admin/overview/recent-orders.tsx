import { KeyRound, Package } from 'lucide-react';
import { Link } from 'react-router';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { formatDay } from '../../../../shared/dates.ts';
import { orderNumber } from '../../../../shared/order-number.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { useAdminList } from '../admin-queries.ts';
import { dollars } from '../figures.ts';
import { mergeOrders } from '../orders/merge-orders.ts';
import { OverviewCard } from './overview-card.tsx';

const MERGED = 10;
const SHOWN = 5;

export function RecentOrders() {
  const lists = [useAdminList('GET /admin/digital-orders', {}), useAdminList('GET /orders', {})];
  const newest = lists.map(({ data }) => ({
    orders: data?.pages[0]?.data.slice(0, MERGED) ?? [],
    hasMore: false,
  }));
  const orders = mergeOrders(...newest).slice(0, SHOWN);
  const isMissing = lists.some(({ data }) => data === undefined);
  return (
    <OverviewCard title="Recent Orders">
      {orders.length === 0 && (
        <p className="text-muted">{isMissing ? 'The orders could not be loaded.' : 'No orders yet'}</p>
      )}
      <ul className="-mx-2 grid">
        {orders.map((order) => (
          <RecentOrder key={order._id} order={order} />
        ))}
      </ul>
    </OverviewCard>
  );
}

function RecentOrder({ order }: { order: AdminOrder }) {
  const { _id, orderType, createdAt, totalPrice, status, refundStatus } = order;
  const isDigital = orderType === 'digital';
  const Icon = isDigital ? KeyRound : Package;
  return (
    <li>
      <Link
        to={`/admin/orders/${_id}`}
        className="flex min-h-14 items-center gap-3 rounded-md px-2 py-1.5 hover:bg-accent-soft"
      >
        <span className="grid size-9 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-ink">
          <Icon aria-hidden className="size-4.5" />
          <span className="sr-only">{isDigital ? 'Digital' : 'Physical'}</span>
        </span>
        <span className="grid min-w-0 flex-1">
          <span className="tabular font-semibold">#{orderNumber(_id)}</span>
          <time dateTime={createdAt} className="text-sm text-muted">
            {formatDay(createdAt)}
          </time>
        </span>
        <span className="grid justify-items-end gap-1">
          <span className="tabular font-semibold">{dollars(totalPrice)}</span>
          <span className="flex flex-wrap justify-end gap-1">
            <StatusBadge status={status} />
            {refundStatus && <StatusBadge status={refundStatus} />}
          </span>
        </span>
      </Link>
    </li>
  );
}
