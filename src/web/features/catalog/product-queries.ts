import type { ListFilters } from '../../../shared/pages.ts';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { call } from '../../lib/api-client.ts';

const CACHED_MS = 60 * 60_000;

/**
 * The list page by page; the first page is large enough for all products of a small shop. The pages are cached for an hour, so
 * that the way back from a product leads to the same scroll position.
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
    gcTime: CACHED_MS,
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

interface SearchedFilters extends Omit<ListFilters, 'q'> {
  /** The text in the search box. */
  typed: string;
  /** What the server is asked for. */
  search: string;
}

/** Filters the loaded products at every keystroke, and asks the server when not all products are loaded. */
export function useProductList({ typed, search, category, sort }: SearchedFilters) {
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
    /** The number of matches, including pages that are not loaded. */
    count: {
      total: Math.max(products.length, (hasMore && counted?.total) || 0),
      hasUncounted: hasMore && counted?.hasUncounted === true,
    },
    isLoading: everything.isPending,
    /** Products are shown while a newer answer is loading. */
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
