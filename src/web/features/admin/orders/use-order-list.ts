import { formatTotal } from '../../../../shared/figures.ts';
import type { Counted } from '../../../../shared/paging.ts';
import { useAdminList } from '../admin-queries.ts';
import { isFoundBy, knownSince, type LoadedOrders, mergeOrders } from './merge-orders.ts';
import type { OrderFilters } from './use-order-filters.ts';

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
export function useOrderList({ typed, status, query }: OrderFilters) {
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
