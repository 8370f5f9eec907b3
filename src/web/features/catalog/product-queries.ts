import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import type { ListFilters } from '../../../shared/page-data.ts';
import { call } from '../../lib/api-client.ts';
import type { Filters } from './filter-bar.tsx';

const KEPT_MS = 60 * 60_000;

/**
 * The list page by page; the first is large enough that a small shop shows all of it. Its pages are kept for an hour, so that
 * the way back from a product leads to the same place.
 */
export const productsQuery = ({ category, sort, q }: ListFilters) =>
  infiniteQueryOptions({
    queryKey: ['products', { category, sort, q }],
    queryFn: ({ pageParam }) =>
      call('GET /digital-products', {
        query: { category, sort, ...(q ? { q } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
  });

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: async () => (await call('GET /digital-products/categories/list')).data,
});

export const productQuery = (id: string) =>
  queryOptions({
    queryKey: ['product', id],
    queryFn: async () => (await call('GET /digital-products/:id', { params: { id } })).data,
  });

const isNamed = (term: string) => {
  const wanted = term.trim().toLowerCase();
  return (product: DigitalProduct) => product.name.toLowerCase().includes(wanted);
};

/** Filters what is loaded at every keystroke, and asks the server for the rest when not everything is loaded. */
export function useProductList({ typed, search, category, sort }: Filters) {
  const everything = useInfiniteQuery(productsQuery({ category, sort }));
  const isComplete = everything.isSuccess && !everything.hasNextPage;
  const term = search.trim();
  const asksServer = term !== '' && everything.isSuccess && !isComplete;
  const willAskServer = everything.isSuccess && !isComplete && typed.trim() !== term;
  const found = useInfiniteQuery({ ...productsQuery({ category, sort, q: term }), enabled: asksServer });

  const source = asksServer && found.isSuccess && !found.isPlaceholderData ? found : everything;
  const products = source.data?.pages.flatMap((page) => page.data).filter(isNamed(typed)) ?? [];
  const hasMore = source.hasNextPage && (typed.trim() === '' || source === found);
  const counted = source.data?.pages[0];
  return {
    products,
    /** How many match, on pages that are not loaded, too. */
    count: {
      total: Math.max(products.length, (hasMore && counted?.total) || 0),
      hasUncounted: hasMore && counted?.hasUncounted === true,
    },
    isLoading: everything.isPending,
    /** Shown already, though a newer answer is on its way. */
    isRefreshing:
      everything.isPlaceholderData || willAskServer || (asksServer && source !== found && !found.isError),
    hasFailed: everything.isError,
    retry: () => void everything.refetch(),
    hasMore,
    isLoadingMore: source.isFetchingNextPage,
    hasFailedToLoadMore: source.isFetchNextPageError,
    loadMore: source.fetchNextPage,
  };
}
