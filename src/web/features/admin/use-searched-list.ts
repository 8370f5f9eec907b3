import type { Api } from '../../../shared/api.ts';
import type { OutputOf } from '../../../shared/endpoint.ts';
import { formatTotal } from '../../../shared/figures.ts';
import { type ListName, type QueryOf, useAdminList } from './admin-queries.ts';

type EntryOf<N extends ListName> = OutputOf<Api[N]>['data'][number];

/**
 * A list whose search is instant on what is loaded and asks the server for the rest, where not everything is loaded.
 * `texts` are those of an entry that the server searches, too.
 */
export function useSearchedList<N extends ListName>(
  name: N,
  query: QueryOf<N>,
  { typed, search }: { typed: string; search: string },
  texts: (entry: EntryOf<N>) => string[],
) {
  const everything = useAdminList(name, query);
  const isComplete = !everything.hasNextPage;
  const asksServer = search !== '' && !isComplete;
  const found = useAdminList(name, asksServer ? { ...query, q: search } : query);
  const source = asksServer && found.isSuccess && !found.isPlaceholderData ? found : everything;

  const term = typed.trim().toLowerCase();
  const lastPage = everything.data?.pages.at(-1);
  const loaded = (source.data?.pages.flatMap(({ data }): unknown[] => data) ?? []) as EntryOf<N>[];
  return {
    entries: loaded.filter((entry) => texts(entry).some((text) => text.toLowerCase().includes(term))),
    /** Of all, whatever is searched for. */
    total: formatTotal(lastPage ?? { total: 0, hasUncounted: false }),
    lastPage,
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
