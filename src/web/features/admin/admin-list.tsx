import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { contains, formatTotal, isShopTimeElsewhere } from '../../../shared/format.ts';
import { type Counted, MAX_SEARCH_LENGTH } from '../../../shared/paging.ts';
import { messageOf } from '../../lib/api-client.ts';
import { Button, keepFocus } from '../../ui/button.tsx';
import { classNames, EmptyState, Skeleton } from '../../ui/display.tsx';
import { Field, SearchField } from '../../ui/input.tsx';
import { LoadFailure, LoadMore } from '../../ui/loading.tsx';
import { type EntryOf, type ListName, type QueryOf, useAdminList, useListFilters } from './dashboard.ts';

export const listState = <Page extends { data: unknown[] } & Partial<Counted>>(
  list: UseInfiniteQueryResult<InfiniteData<Page>>,
) => ({
  entries: (list.data?.pages.flatMap(({ data }) => data) ?? []) as Page['data'],
  lastPage: list.data?.pages.at(-1),
  total: formatTotal({ total: 0, hasUncounted: false, ...list.data?.pages.at(-1) }),
  error: list.isLoadingError ? list.error : null,
  refetch: (): Promise<unknown> => list.refetch(),
  isFetching: list.isFetching,
  isLoading: list.isPending,
  /** Whether the entries are those of the previous query, until the new one has loaded. */
  isRefreshing: list.isPlaceholderData,
  hasNextPage: list.hasNextPage,
  isFetchingNextPage: list.isFetchingNextPage,
  isFetchNextPageError: list.isFetchNextPageError,
  fetchNextPage: () => void list.fetchNextPage(),
});

/**
 * Returns a list with the search of the URL. The loaded entries are filtered at once. If the list has more entries than
 * are loaded, the server is asked, too. `texts` returns those texts of an entry that the server searches.
 */
export function useSearchedList<N extends ListName>(
  name: N,
  query: QueryOf<N>,
  texts: (entry: EntryOf<N>) => string[],
) {
  const filters = useListFilters();
  const typed = filters.typed.q.trim();
  const { q: search = '' } = filters.query;
  const everything = useAdminList(name, query);
  const asksServer = search !== '' && everything.hasNextPage;
  const found = useAdminList(name, asksServer ? { ...query, q: search } : query);
  const isFound = asksServer && found.data !== undefined && !found.isPlaceholderData;
  const all = listState(everything);
  const result = listState(found);
  const shown = isFound ? result : all;
  const { lastPage, total, isLoading } = all;
  const { error, refetch, isFetching } = result;
  return {
    ...shown,
    // Of the list without the search.
    lastPage,
    total,
    isLoading,
    // Without a search on the server, both are the same query.
    error,
    refetch,
    isFetching,
    search: { typed: filters.typed.q, type: (q: string) => filters.type({ q }), clear: filters.clear },
    entries: shown.entries.filter((entry: EntryOf<N>) => texts(entry).some((text) => contains(text, typed))),
    isRefreshing:
      all.isRefreshing || (all.hasNextPage && typed !== search) || (asksServer && !isFound && !found.isError),
    hasNextPage: shown.hasNextPage && (typed === '' || isFound),
  };
}

interface ListViewProps {
  list: Omit<ReturnType<typeof listState>, 'lastPage' | 'total'>;
  of: string;
  icon: LucideIcon;
  heading?: 'h2' | 'h3';
  /** Title if loading fails; null if the caller shows the failure. */
  failed?: string | null;
  /** The button that loads the next page. */
  more?: string;
  whenEmpty?: ReactNode;
  /** Clears the filters; an empty list offers it as a button. */
  onClear?: (() => void) | false;
  empty?: ReactNode;
  skeleton?: ReactNode;
  children: ReactNode;
}

export const CardSkeletons = ({ className }: { className: string }) => (
  <div className="grid gap-4">
    {[1, 2, 3].map((place) => (
      <Skeleton key={place} className={className} />
    ))}
  </div>
);

/** A button of an empty list. Both are gone once it is pressed, and the focus moves to the nearest remaining part. */
export const RemovingButton = ({ onClick, ...button }: ComponentProps<typeof Button> & { onClick(): void }) => (
  <Button variant="secondary" {...button} onClick={() => void keepFocus(onClick)} />
);

export function ListView(props: ListViewProps) {
  const { list, of, icon, heading = 'h3', failed = `Failed to load ${of}`, onClear } = props;
  // While the shop is asked for a search that no loaded entry matches, the list would be blank.
  if (list.isLoading || (list.isRefreshing && list.entries.length === 0))
    return props.skeleton ?? <Skeleton className="h-96" />;
  if (list.error !== null && failed !== null) {
    return (
      <>
        {list.entries.length > 0 && props.children}
        <LoadFailure icon={icon} heading={heading} title={failed} text={messageOf(list.error, '')} query={list} />
      </>
    );
  }
  if (list.entries.length === 0 && !list.hasNextPage && !list.isRefreshing && list.error === null) {
    const clear = onClear && <RemovingButton onClick={onClear}>Clear filters</RemovingButton>;
    return (
      props.empty ?? (
        <EmptyState icon={icon} heading={heading} title={`No ${of} found`} action={clear}>
          {props.whenEmpty}
        </EmptyState>
      )
    );
  }
  return (
    <>
      {list.entries.length > 0 && props.children}
      <LoadMore list={list} of={of} label={props.more} />
    </>
  );
}

interface SearchedListProps extends Omit<ListViewProps, 'list'> {
  list: ListViewProps['list'] & Pick<ReturnType<typeof useSearchedList>, 'search'>;
  placeholder: string;
}

export function SearchedList({ placeholder, whenEmpty, ...props }: SearchedListProps) {
  const { of, list } = props;
  const { typed, type } = list.search;
  const term = typed.trim();
  return (
    <>
      <search>
        <SearchField
          label={`Search ${of}`}
          placeholder={placeholder}
          maxLength={MAX_SEARCH_LENGTH}
          value={typed}
          onChange={type}
        />
      </search>
      <ListView
        {...props}
        whenEmpty={<p className="wrap-anywhere">{term === '' ? whenEmpty : `No results for "${term}"`}</p>}
      />
    </>
  );
}

interface FilterFieldsProps extends Record<'label' | 'placeholder', string> {
  filters: Pick<ReturnType<typeof useListFilters>, 'typed' | 'type'>;
  children?: ReactNode;
}

export function FilterFields({ filters: { typed, type }, children, ...words }: FilterFieldsProps) {
  const columns = children
    ? 'lg:grid-cols-[minmax(0,1fr)_12rem_11rem_11rem]'
    : 'lg:grid-cols-[minmax(0,1fr)_11rem_11rem]';
  return (
    <search className={classNames('grid grid-cols-2 gap-4', columns)}>
      <div className={children ? 'max-sm:col-span-2' : 'max-lg:col-span-2'}>
        <SearchField {...words} maxLength={MAX_SEARCH_LENGTH} value={typed.q} onChange={(q) => type({ q })} />
      </div>
      {children && <div className="max-sm:col-span-2">{children}</div>}
      {(['from', 'to'] as const).map((name) => (
        <div key={name} className="max-[24rem]:col-span-2">
          <Field
            type="date"
            {...(name === 'from' ? { label: 'From', max: typed.to } : { label: 'To', min: typed.from })}
            value={typed[name]}
            onChange={({ target }) => type({ [name]: target.value })}
          />
        </div>
      ))}
      {isShopTimeElsewhere(new Date()) && (
        <p className="col-span-full text-sm text-muted">
          These days begin at midnight in Malaysia (GMT+8); the times in the list are your own.
        </p>
      )}
    </search>
  );
}

interface CountProps {
  list: Pick<ReturnType<typeof listState>, 'isLoading' | 'lastPage'>;
  of: string;
  className?: string;
  children?: ReactNode;
}

/** Says how many entries a list has; nothing if it failed to load, because the failure is shown in its place. */
export const ListCount = ({ list, of, className, children }: CountProps) => (
  <p role="status" className={classNames('tabular text-muted', className)}>
    {list.isLoading ? (
      <>
        {/* No wider than the count: else the controls beside it would move to a row of their own meanwhile. */}
        Loading<span className="sr-only"> {of}</span>
      </>
    ) : (
      list.lastPage && children
    )}
  </p>
);

interface ListHeadingProps extends CountProps {
  title: string;
  count: ReactNode;
}

/** The title and the number of entries of a list; the children are its controls. */
export const ListHeading = ({ title, count, children, ...list }: ListHeadingProps) => (
  <div className="flex flex-wrap items-end justify-between gap-4">
    <div className="grid gap-0.5">
      <h2 className="text-xl">{title}</h2>
      <ListCount {...list}>{count}</ListCount>
    </div>
    {children}
  </div>
);

/** A link that covers the whole card around it. The page that it opens links back to the list with its filters. */
export function CardLink({ to, children }: { to: string; children: ReactNode }) {
  const { search } = useLocation();
  return (
    <Link to={to} state={{ from: search }} className="rounded-sm after:absolute after:inset-0 after:rounded-lg">
      {children}
    </Link>
  );
}
