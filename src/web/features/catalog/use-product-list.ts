import { useInfiniteQuery } from '@tanstack/react-query';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { productsQuery } from './catalog-queries.ts';
import type { Filters } from './use-filters.ts';

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
