import { PackageOpen } from 'lucide-react';
import { formatTotal } from '../../../../shared/format.ts';
import { orderStatus } from '../../../../shared/orders.ts';
import { Skeleton } from '../../../ui/card.tsx';
import { Select } from '../../../ui/field.tsx';
import { ListHeading, ListView, listState } from '../admin-list.tsx';
import { ProblemBanner } from '../admin-page.tsx';
import { useAdminList } from '../admin-queries.ts';
import { useDashboardUrl, useListFilters } from '../dashboard-url.ts';
import { FilterBar } from '../filter-bar.tsx';
import { OrderRow } from './order-row.tsx';
import { isFoundBy } from './order-texts.ts';

export function OrdersTab() {
  const { set } = useDashboardUrl();
  const filters = useListFilters(orderStatus.options);
  const list = useOrders(filters);
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading title="All Orders">{list.isLoading ? 'Loading orders' : list.count}</ListHeading>
      <FilterBar filters={filters} label="Search orders" placeholder="Number, name or email">
        <Select label="Status" value={filters.status ?? ''} onChange={({ target }) => set({ status: target.value })}>
          <option value="">All Status</option>
          {orderStatus.options.map((known) => (
            <option key={known}>{known}</option>
          ))}
        </Select>
      </FilterBar>
      {list.error !== null && (
        <ProblemBanner message="Failed to load orders" onRetry={list.retry} isRetrying={list.isRetrying} />
      )}
      <ListView
        list={list}
        of="orders"
        icon={PackageOpen}
        failed={null}
        onClear={filters.isFiltered && filters.clear}
        whenEmpty="Orders will appear here once customers make purchases"
        skeleton={
          <div className="grid gap-4">
            <Skeleton className="h-48" />
            <Skeleton className="h-48" />
            <Skeleton className="h-48" />
          </div>
        }>
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

/** Until the server answers a new search, the loaded orders are filtered here, so that every key has an effect. */
function useOrders({ typed, status, query }: Filters) {
  const read = useAdminList('GET /admin/orders', query);
  const list = listState(read);
  const isRefreshing = list.isRefreshing || typed.q.trim() !== (query.q ?? '');
  const entries = list.entries.filter(
    (order) => !isRefreshing || (isFoundBy(order, typed.q) && (status === undefined || order.status === status)),
  );
  const { total = 0, hasUncounted = false } = list.lastPage ?? {};
  const counted = { total: isRefreshing && !list.hasMore ? entries.length : total, hasUncounted };
  return {
    ...list,
    entries,
    isRefreshing,
    count: `${formatTotal(counted)} ${counted.total === 1 ? 'order' : 'orders'} found`,
    // A page that fails to load leaves the others on the screen.
    error: read.error,
    isRetrying: read.isFetching,
  };
}
