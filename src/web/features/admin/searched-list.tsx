import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Api } from '../../../shared/api.ts';
import { isShopTimeElsewhere } from '../../../shared/dates.ts';
import type { OutputOf } from '../../../shared/endpoint.ts';
import { formatTotal } from '../../../shared/figures.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Field } from '../../ui/field.tsx';
import { type ListName, type QueryOf, useAdminList } from './admin-queries.ts';
import type { useSearch, useTypedFilters } from './dashboard-url.ts';

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

interface SearchFieldProps {
  label: string;
  /** What can be searched for. */
  placeholder: string;
  value: string;
  onChange(value: string): void;
}

export function SearchField({ onChange, ...field }: SearchFieldProps) {
  return (
    <Field
      {...field}
      type="search"
      maxLength={100}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

interface FilterBarProps extends Pick<SearchFieldProps, 'label' | 'placeholder'> {
  filters: Pick<ReturnType<typeof useTypedFilters>, 'typed' | 'type'>;
  /** One more field. */
  children?: ReactNode;
}

/** Narrows a list by words and days. */
export function FilterBar({ filters: { typed, type }, children, ...words }: FilterBarProps) {
  const columns = children
    ? 'lg:grid-cols-[minmax(0,1fr)_12rem_11rem_11rem]'
    : 'lg:grid-cols-[minmax(0,1fr)_11rem_11rem]';
  return (
    <search className={classNames('grid grid-cols-2 gap-4', columns)}>
      <div className={children ? 'max-sm:col-span-2' : 'max-lg:col-span-2'}>
        <SearchField {...words} value={typed.q} onChange={(q) => type({ q })} />
      </div>
      {children && <div className="max-sm:col-span-2">{children}</div>}
      <div className="max-[24rem]:col-span-2">
        <Field
          label="From"
          type="date"
          max={typed.to}
          value={typed.from}
          onChange={({ target }) => type({ from: target.value })}
        />
      </div>
      <div className="max-[24rem]:col-span-2">
        <Field
          label="To"
          type="date"
          min={typed.from}
          value={typed.to}
          onChange={({ target }) => type({ to: target.value })}
        />
      </div>
      {isShopTimeElsewhere(new Date()) && (
        <p className="col-span-full text-sm text-muted">
          These days begin at midnight in Malaysia (GMT+8); the times in the list are your own.
        </p>
      )}
    </search>
  );
}

interface LoadMoreProps {
  hasMore: boolean;
  isLoading: boolean;
  onLoad(): void;
  label?: string;
}

/** Below a list that goes on. */
export function LoadMore({ hasMore, isLoading, onLoad, label = 'Load more' }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <Button variant="secondary" className="justify-self-center" loading={isLoading} onClick={onLoad}>
      {label}
    </Button>
  );
}
