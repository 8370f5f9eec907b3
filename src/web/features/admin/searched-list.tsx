import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SearchField } from './filter-bar.tsx';
import { LoadMore } from './load-more.tsx';
import type { useSearchedList } from './use-searched-list.ts';
import type { useSearch } from './use-typed-filters.ts';

interface SearchedListProps {
  search: ReturnType<typeof useSearch>;
  list: Omit<ReturnType<typeof useSearchedList>, 'lastPage'>;
  /** What it is a list of. */
  of: string;
  /** What can be searched for. */
  placeholder: string;
  icon: LucideIcon;
  /** Said while there is nothing at all. */
  whenEmpty: string;
  /** What was found. */
  children: ReactNode;
}

/** A list under the field that searches it. */
export function SearchedList({
  search,
  list,
  of,
  placeholder,
  icon,
  whenEmpty,
  children,
}: SearchedListProps) {
  const term = search.typed.trim();
  const isEmpty = list.entries.length === 0;
  return (
    <>
      <search>
        <SearchField
          label={`Search ${of}`}
          placeholder={placeholder}
          value={search.typed}
          onChange={search.type}
        />
      </search>
      {list.isLoading && <Skeleton className="h-96" />}
      {list.hasFailed && (
        <EmptyState
          icon={icon}
          heading="h3"
          title={`Failed to load ${of}`}
          action={<Button onClick={list.retry}>Try again</Button>}
        />
      )}
      {!isEmpty && children}
      {isEmpty && !list.isLoading && !list.isRefreshing && !list.hasFailed && (
        <EmptyState icon={icon} heading="h3" title={`No ${of} found`}>
          <p className="wrap-anywhere">{term === '' ? whenEmpty : `No results for "${term}"`}</p>
        </EmptyState>
      )}
      <LoadMore hasMore={list.hasMore} isLoading={list.isLoadingMore} onLoad={list.loadMore} />
    </>
  );
}
