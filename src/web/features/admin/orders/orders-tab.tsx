import { KeyRound, Package, PackageOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import { formatTotal, orderNumber, plural } from '../../../../shared/format.ts';
import { orderStatus } from '../../../../shared/orders.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Badge, Card, classNames, Picture } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { TextLink } from '../../../ui/form-page.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { OrderStatusBadges, PaidBadge } from '../../../ui/order-parts.tsx';
import { CardLink, CardSkeletons, FilterFields, ListHeading, ListView, listState } from '../admin-list.tsx';
import { Facts } from '../admin-page.tsx';
import { useAdminList, useDashboardUrl, useListFilters } from '../dashboard.ts';
import { customerOf, emailOf, isFoundBy } from './order-texts.ts';

export function OrdersTab() {
  const { set } = useDashboardUrl();
  const filters = useListFilters(orderStatus.options);
  const list = useOrders(filters);
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading title="All Orders" list={list} of="orders" count={list.count} />
      <FilterFields filters={filters} label="Search orders" placeholder="Number, name or email">
        <Select
          label="Status"
          none="All Status"
          options={orderStatus.options}
          value={filters.status ?? ''}
          onChange={({ target }) => set({ status: target.value })}
        />
      </FilterFields>
      {list.error !== null && (
        <LoadFailureBanner message={messageOf(list.error, 'Failed to load orders')} query={list} />
      )}
      <ListView
        list={list}
        of="orders"
        icon={PackageOpen}
        failed={null}
        onClear={filters.isFiltered && filters.clear}
        whenEmpty={
          <>
            {filters.isFiltered && <p>No order matches these filters.</p>}
            {filters.query.q && (
              <p>
                To find the order of a key, choose “Find a Key” in{' '}
                <TextLink to="/admin?tab=digital">Digital Products</TextLink>.
              </p>
            )}
            <p>Orders will appear here once customers make purchases</p>
          </>
        }
        skeleton={<CardSkeletons className="h-48" />}>
        <ul aria-label="Orders" aria-busy={list.isRefreshing} className="grid grid-cols-1 gap-4">
          {list.entries.map((order) => (
            <li key={order._id}>
              <OrderRow order={order} />
            </li>
          ))}
        </ul>
      </ListView>
    </div>
  );
}

type Filters = ReturnType<typeof useListFilters<(typeof orderStatus.options)[number]>>;

/** Reads the orders. While a new search is loading, filters the loaded orders, so that every key has an effect. */
function useOrders({ typed, status, query }: Filters) {
  const read = useAdminList('GET /admin/orders', query);
  const list = listState(read);
  const isRefreshing = list.isRefreshing || typed.q.trim() !== (query.q ?? '');
  const entries = list.entries.filter(
    (order) => !isRefreshing || (isFoundBy(order, typed.q) && (status === undefined || order.status === status)),
  );
  const { total = 0, hasUncounted = false, nextCursor = null } = list.lastPage ?? {};
  const counted = isRefreshing ? { total: entries.length, hasUncounted: false } : { total, hasUncounted };
  return {
    ...list,
    entries,
    isRefreshing,
    // Only the shop can count the orders that are not loaded: further pages, and what an earlier search left out.
    count:
      isRefreshing && (nextCursor !== null || entries.length === 0)
        ? 'Loading'
        : `${formatTotal(counted)} ${plural(counted.total, 'order')} found`,
    // Includes a failed reload, which keeps the orders on the screen. The list itself shows a failed next page.
    error: read.isFetchNextPageError ? null : read.error,
  };
}

const ITEMS_SHOWN = 2;

function OrderRow({ order }: { order: AdminOrder }) {
  const { _id, orderItems } = order;
  const more = orderItems.length - ITEMS_SHOWN;
  return (
    <Card
      role="article"
      aria-labelledby={`order-${_id}`}
      className="relative grid grid-cols-1 gap-4 p-4 transition-shadow hover:shadow-lift sm:p-5">
      <OrderHead
        order={order}
        badge={
          order.waitingUnits > 0 && (
            <Badge tone="warning">
              {order.waitingUnits} {plural(order.waitingUnits, 'unit')} to deliver
            </Badge>
          )
        }
        totalClass="text-lg">
        <h3 id={`order-${_id}`} className="tabular text-lg">
          <CardLink to={`/admin/orders/${_id}`}>#{orderNumber(_id)}</CardLink>
        </h3>
      </OrderHead>
      <Facts
        className="grid-cols-2 gap-x-6 max-sm:[&>:nth-child(-n+2)]:col-span-2 lg:grid-cols-[1fr_1.5fr_6rem_6rem]"
        facts={{
          Customer: customerOf(order),
          Email: emailOf(order),
          Items: String(orderItems.length),
          Payment: <PaidBadge isPaid={order.isPaid} />,
        }}
      />
      <div className="flex flex-wrap items-center gap-x-8 gap-y-3 border-t border-line pt-4 text-sm">
        <ul aria-label="First items" className="contents">
          {orderItems.slice(0, ITEMS_SHOWN).map(({ _id: line, image, category, name, quantity, price }) => (
            <li key={line} className="flex min-w-0 items-center gap-3">
              <Picture src={image} category={category} className="aspect-4/3 w-14 shrink-0 rounded-sm" />
              <div className="min-w-0">
                <p dir="auto" className="text-left font-medium wrap-anywhere">
                  {name}
                </p>
                <p className="tabular text-muted">
                  {quantity} × {formatDollars(price)}
                </p>
              </div>
            </li>
          ))}
        </ul>
        {more > 0 && (
          <p className="text-muted">
            + {more} more {plural(more, 'item')}
          </p>
        )}
      </div>
    </Card>
  );
}

interface OrderHeadProps {
  order: Pick<AdminOrder, 'orderType' | 'status' | 'refundStatus' | 'createdAt' | 'totalPrice'>;
  /** The order's number; left out if the page already names the order. */
  children?: ReactNode;
  badge?: ReactNode;
  totalClass?: string;
}

export function OrderHead({ order, badge, totalClass, children }: OrderHeadProps) {
  const [Icon, type] = order.orderType === 'digital' ? [KeyRound, 'Digital'] : [Package, 'Physical'];
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
      <div className="flex min-w-0 flex-1 basis-[8rem] flex-wrap items-center gap-x-3 gap-y-1.5">
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
