import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatTotal } from '../../../shared/format.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { type EntryOf, type ListName, type QueryOf, useAdminList } from './admin-queries.ts';
import type { useSearch } from './dashboard-url.ts';
import { SearchField } from './filter-bar.tsx';

/** A list as ListView shows it. */
export const listState = <Page extends { data: unknown[] }>(list: UseInfiniteQueryResult<InfiniteData<Page>>) => ({
  entries: (list.data?.pages.flatMap(({ data }) => data) ?? []) as Page['data'],
  /** The newest page, with the counts of the whole list. */
  lastPage: list.data?.pages.at(-1),
  error: list.isLoadingError ? list.error : null,
  retry: () => void list.refetch(),
  isLoading: list.isPending,
  /** A newer answer is awaited. */
  isRefreshing: list.isPlaceholderData,
  hasMore: list.hasNextPage,
  isLoadingMore: list.isFetchingNextPage,
  loadMore: () => void list.fetchNextPage(),
});

/**
 * A list whose search is instant on the loaded entries, and asks the server where more entries exist. `texts` are those
 * of an entry that the server searches, too.
 */
export function useSearchedList<N extends ListName>(
  name: N,
  query: QueryOf<N>,
  { typed, search }: Pick<ReturnType<typeof useSearch>, 'typed' | 'search'>,
  texts: (entry: EntryOf<N>) => string[],
) {
  const everything = useAdminList(name, query);
  const isComplete = !everything.hasNextPage;
  const asksServer = search !== '' && !isComplete;
  const found = useAdminList(name, asksServer ? { ...query, q: search } : query);
  const source = asksServer && found.isSuccess && !found.isPlaceholderData ? found : everything;
  const all = listState(everything);
  const shown = listState(source);
  const term = typed.trim().toLowerCase();
  return {
    ...shown,
    entries: shown.entries.filter((entry: EntryOf<N>) =>
      texts(entry).some((text) => text.toLowerCase().includes(term)),
    ),
    lastPage: all.lastPage,
    /** Of the whole list, whatever is searched for. */
    total: formatTotal(all.lastPage ?? { total: 0, hasUncounted: false }),
    error: all.error,
    retry: all.retry,
    isLoading: all.isLoading,
    isRefreshing:
      all.isRefreshing ||
      (!isComplete && typed.trim() !== search) ||
      (asksServer && source !== found && !found.isError),
    hasMore: source.hasNextPage && (term === '' || source === found),
  };
}

interface ListViewProps {
  list: Omit<ReturnType<typeof listState>, 'lastPage'>;
  /** What the entries are, as in "No users found". */
  of: string;
  icon: LucideIcon;
  heading?: 'h2' | 'h3';
  /** Title when nothing could be loaded; null shows nothing. */
  failed?: string | null;
  whenEmpty: ReactNode;
  /** Offered when nothing was found. */
  onClear?: (() => void) | false;
  skeleton?: ReactNode;
  /** The entries. */
  children: ReactNode;
}

/** A list's entries with the way to more; or why there are none. */
export function ListView(props: ListViewProps) {
  const { list, of, icon, heading = 'h3', failed = `Failed to load ${of}`, onClear, children } = props;
  const isEmpty = list.entries.length === 0;
  if (list.isLoading) return props.skeleton ?? <Skeleton className="h-96" />;
  return (
    <>
      {list.error !== null && failed !== null && (
        <EmptyState
          icon={icon}
          heading={heading}
          title={failed}
          action={<Button onClick={list.retry}>Try again</Button>}
        />
      )}
      {!isEmpty && children}
      {isEmpty && !list.hasMore && !list.isRefreshing && list.error === null && (
        <EmptyState
          icon={icon}
          heading={heading}
          title={`No ${of} found`}
          action={
            onClear && (
              <Button variant="secondary" onClick={onClear}>
                Clear filters
              </Button>
            )
          }>
          {props.whenEmpty}
        </EmptyState>
      )}
      <LoadMore hasMore={list.hasMore} isLoading={list.isLoadingMore} onLoad={list.loadMore} />
    </>
  );
}

interface SearchedListProps extends Pick<ListViewProps, 'list' | 'of' | 'icon' | 'children'> {
  search: ReturnType<typeof useSearch>;
  /** What can be searched for. */
  placeholder: string;
  /** Text while the list has no entry at all. */
  whenEmpty: string;
}

/** A list under the field that searches it. */
export function SearchedList({ search, placeholder, whenEmpty, ...list }: SearchedListProps) {
  const term = search.typed.trim();
  return (
    <>
      <search>
        <SearchField
          label={`Search ${list.of}`}
          placeholder={placeholder}
          value={search.typed}
          onChange={search.type}
        />
      </search>
      <ListView
        {...list}
        whenEmpty={<p className="wrap-anywhere">{term === '' ? whenEmpty : `No results for "${term}"`}</p>}
      />
    </>
  );
}

/** Title of a tab, above the count of its list. */
export function ListHeading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <h2 className="text-xl">{title}</h2>
      <p role="status" className="tabular text-muted">
        {children}
      </p>
    </div>
  );
}

interface LoadMoreProps {
  hasMore: boolean;
  isLoading: boolean;
  onLoad(): void;
  label?: string;
}

/** Button below a list that has another page. */
export function LoadMore({ hasMore, isLoading, onLoad, label = 'Load more' }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <Button variant="secondary" className="justify-self-center" loading={isLoading} onClick={onLoad}>
      {label}
    </Button>
  );
}
