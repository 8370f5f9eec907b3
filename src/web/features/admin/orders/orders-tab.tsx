import { CircleAlert, PackageOpen } from 'lucide-react';
import { formatTotal } from '../../../../shared/figures.ts';
import { orderStatus } from '../../../../shared/orders.ts';
import type { Counted } from '../../../../shared/paging.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/card.tsx';
import { Select } from '../../../ui/field.tsx';
import { useAdminList } from '../admin-queries.ts';
import { useDashboardUrl, useTypedFilters } from '../dashboard-url.ts';
import { FilterBar, LoadMore } from '../searched-list.tsx';
import { isFoundBy, knownSince, type LoadedOrders, mergeOrders } from './merge-orders.ts';
import { OrderRow } from './order-row.tsx';

export function OrdersTab() {
  const filters = useOrderFilters();
  const list = useOrderList(filters);
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="grid gap-0.5">
        <h2 className="text-xl">All Orders</h2>
        <p role="status" className="tabular text-muted">
          {list.isLoading ? 'Loading orders' : list.count}
        </p>
      </div>
      <FilterBar filters={filters} label="Search orders" placeholder="Number, name or email">
        <Select
          label="Status"
          value={filters.status}
          onChange={({ target }) => filters.chooseStatus(target.value)}
        >
          <option value="">All Status</option>
          {orderStatus.options.map((known) => (
            <option key={known} value={known}>
              {known}
            </option>
          ))}
        </Select>
      </FilterBar>
      {list.failed.length > 0 && (
        <div
          role="alert"
          className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger"
        >
          <p className="flex items-center gap-3 font-semibold">
            <CircleAlert aria-hidden className="size-5 shrink-0" />
            Failed to load orders
          </p>
          <Button variant="danger" size="sm" loading={list.isRetrying} onClick={list.retry}>
            Try again
          </Button>
        </div>
      )}
      <Orders list={list} isNarrowed={filters.isNarrowed} onClear={filters.clear} />
    </div>
  );
}

interface OrdersProps {
  list: ReturnType<typeof useOrderList>;
  isNarrowed: boolean;
  onClear(): void;
}

function Orders({ list, isNarrowed, onClear }: OrdersProps) {
  const { orders, isLoading, isWaiting, hasMore, failed } = list;
  if (isLoading) {
    return (
      <div className="grid gap-4">
        <Skeleton className="h-48" />
        <Skeleton className="h-48" />
        <Skeleton className="h-48" />
      </div>
    );
  }
  const isEmpty = orders.length === 0 && !hasMore && !isWaiting && failed.length === 0;
  return (
    <>
      <ul aria-label="Orders" aria-busy={isWaiting} className="grid grid-cols-1 gap-4">
        {orders.map((order) => (
          <li key={order._id}>
            <OrderRow order={order} />
          </li>
        ))}
      </ul>
      {isEmpty && (
        <EmptyState
          icon={PackageOpen}
          heading="h3"
          title="No orders found"
          action={
            isNarrowed && (
              <Button variant="secondary" onClick={onClear}>
                Clear filters
              </Button>
            )
          }
        >
          Orders will appear here once customers make purchases
        </EmptyState>
      )}
      <LoadMore hasMore={hasMore} isLoading={list.isLoadingMore} onLoad={() => void list.loadMore()} />
    </>
  );
}

/** What narrows the list of orders: what is typed, and a status. */
export function useOrderFilters() {
  const { get, set } = useDashboardUrl();
  const { query, isNarrowed, ...filters } = useTypedFilters();
  const status = orderStatus.options.find((known) => known === get('status')) ?? '';
  return {
    ...filters,
    status,
    query: { ...query, ...(status && { status }) },
    isNarrowed: isNarrowed || status !== '',
    chooseStatus: (chosen: string) => set({ status: chosen }),
  };
}

export type OrderFilters = ReturnType<typeof useOrderFilters>;

type List = ReturnType<typeof useAdminList<'GET /admin/digital-orders' | 'GET /orders'>>;

const inWords = (counted: Counted) =>
  `${formatTotal(counted)} ${counted.total === 1 ? 'order' : 'orders'} found`;

const loaded = ({ data, hasNextPage }: List): LoadedOrders => ({
  orders: data?.pages.flatMap((page) => page.data) ?? [],
  hasMore: hasNextPage,
});

/**
 * Orders of both kinds as one list. While an answer is on its way, what is loaded is narrowed here, so that every key
 * is seen to do something.
 */
function useOrderList({ typed, status, query }: OrderFilters) {
  const lists = [useAdminList('GET /orders', query), useAdminList('GET /admin/digital-orders', query)];
  const isWaiting =
    lists.some(({ isPlaceholderData }) => isPlaceholderData) || typed.q.trim() !== (query.q ?? '');
  const known = mergeOrders(...lists.map(loaded));
  const orders = isWaiting
    ? known.filter((order) => isFoundBy(order, typed.q) && (status === '' || order.status === status))
    : known;
  const counts = lists.map(({ data }) => data?.pages.at(-1));
  const failed = lists.filter(({ isError }) => isError);
  const hasMore = lists.some(({ hasNextPage }) => hasNextPage);
  const total =
    isWaiting && !hasMore ? orders.length : counts.reduce((sum, count) => sum + (count?.total ?? 0), 0);

  /** Asks the list that ends first for what comes next; the other one reaches further back already. */
  async function loadMore() {
    const [next] = lists
      .filter(({ hasNextPage }) => hasNextPage)
      .toSorted((one, other) => knownSince(loaded(other)) - knownSince(loaded(one)));
    await next?.fetchNextPage();
  }

  return {
    orders,
    count: inWords({ total, hasUncounted: counts.some((count) => count?.hasUncounted) }),
    isWaiting,
    isLoading: lists.some(({ isPending }) => isPending),
    failed,
    retry: () => void Promise.all(failed.map(({ refetch }) => refetch())),
    isRetrying: failed.some(({ isFetching }) => isFetching),
    hasMore,
    isLoadingMore: lists.some(({ isFetchingNextPage }) => isFetchingNextPage),
    loadMore,
  };
}
