import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { useAdminList } from '../admin-queries.ts';

interface Filters {
  showAll: boolean;
  /** At every key; `search` when the typing pauses. */
  typed: string;
  search: string;
}

/** What is loaded is filtered at every key; the server is asked for the rest, where not everything is loaded. */
export function useProductList({ showAll, typed, search }: Filters) {
  const all = showAll ? {} : { status: 'active' as const };
  const everything = useAdminList('listAllDigitalProducts', all);
  const isComplete = !everything.hasNextPage;
  const asksServer = search !== '' && !isComplete;
  const found = useAdminList('listAllDigitalProducts', asksServer ? { ...all, q: search } : all);
  const source = asksServer && found.isSuccess && !found.isPlaceholderData ? found : everything;

  const term = typed.trim().toLowerCase();
  const isNamed = ({ name }: AdminDigitalProduct) => name.toLowerCase().includes(term);
  return {
    products: source.data?.pages.flatMap(({ data }) => data).filter(isNamed) ?? [],
    counts: everything.data?.pages.at(-1)?.counts ?? { active: 0, inactive: 0 },
    hasFailed: everything.isLoadingError,
    retry: () => void everything.refetch(),
    isLoading: everything.isPending,
    /** A newer answer is on its way. */
    isRefreshing:
      everything.isPlaceholderData ||
      (!isComplete && typed.trim() !== search) ||
      (asksServer && source !== found && !found.isError),
    hasMore: source.hasNextPage && (term === '' || source === found),
    isLoadingMore: source.isFetchingNextPage,
    loadMore: () => void source.fetchNextPage(),
  };
}
