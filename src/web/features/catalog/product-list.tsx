import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Search, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { Link, useSearchParams } from 'react-router';
import { UNLIMITED_STOCK } from '../../../shared/cart-rules.ts';
import type { CategoryEntry, ProductKind, SortOption } from '../../../shared/catalog.ts';
import { categories, categoryGroups, sortOptions } from '../../../shared/catalog-choices.ts';
import { contains, formatCount } from '../../../shared/format.ts';
import { changedParams, useDebouncedParams } from '../../lib/page.ts';
import { categoriesQuery, productsQuery } from '../../state/shop.ts';
import { CategoryIcon, classNames } from '../../ui/display.tsx';
import { inputClass, Select } from '../../ui/field.tsx';

const sortLabels: Record<SortOption, string> = {
  featured: 'Featured',
  price_asc: 'Price: Low to High',
  price_desc: 'Price: High to Low',
  newest: 'Newest',
  popular: 'Most Popular',
};

// Sticky below the header and a payment notice, unless the window is so low that the bar would cover most of it.
const barClass = classNames(
  'z-20 -mx-4 grid gap-2 bg-ground px-4 py-3 sm:-mx-6 sm:gap-3 sm:px-6 sm:py-4',
  'top-(--below-header) [@media(min-height:30rem)]:sticky',
  // Two columns; one if the text is too large for two.
  'grid-cols-[repeat(auto-fill,minmax(min(100%,max(8.25rem,40%)),1fr))] lg:grid-cols-[1fr_17rem_14rem]',
  'not-supports-[appearance:base-select]:max-[23rem]:grid-cols-1',
  '[&_select]:supports-[appearance:base-select]:max-sm:text-sm/tight',
);

export function FilterBar({ filters }: { filters: Filters }) {
  const { entries } = filters;
  return (
    <search className={barClass}>
      <SearchBox value={filters.typed} onType={filters.type} />
      <Select
        label="Category"
        labelHidden
        value={filters.category ?? ''}
        onChange={({ target }) => filters.chooseCategory(target.value)}>
        <option value="">All Categories</option>
        {filters.kind === 'physical' && <Categories entries={entries} />}
        {filters.kind === 'digital' &&
          Object.entries(categoryGroups).map(([group, names]) => {
            const listed = entries.filter((entry) => names.some((name) => name === entry.name));
            return (
              listed.length > 0 && (
                <optgroup key={group} label={group}>
                  <Categories entries={listed} />
                </optgroup>
              )
            );
          })}
        {filters.category && !entries.some(({ name }) => name === filters.category) && (
          <option value={filters.category}>{filters.category}</option>
        )}
      </Select>
      <Select
        label="Sort by"
        labelHidden
        options={sortLabels}
        value={filters.sort}
        onChange={({ target }) => filters.chooseSort(target.value as SortOption)}
      />
    </search>
  );
}

const Categories = ({ entries }: { entries: CategoryEntry[] }) =>
  entries.map(({ name, totalStock }) => (
    <option key={name} value={name}>
      <CategoryIcon category={name} className="size-4.5 text-accent" />
      {totalStock < UNLIMITED_STOCK ? `${name} (${formatCount(totalStock)})` : name}
    </option>
  ));

const kindNames: Record<ProductKind, string> = { digital: 'Digital goods', physical: 'Physical goods' };

/** Links to the lists of the two kinds; they keep search and sort order. Hidden in a shop without physical goods. */
export function KindSwitch({ kind }: { kind: ProductKind }) {
  const [params] = useSearchParams();
  const { data: physical = [] } = useQuery(categoriesQuery('physical'));
  if (kind === 'digital' && physical.length === 0) return null;
  return (
    <nav
      aria-label="Kinds of goods"
      className="grid grid-cols-2 rounded-md bg-sunken p-1 text-center text-sm font-semibold max-sm:order-last max-sm:w-full sm:mr-auto">
      {(['digital', 'physical'] as const).map((name) => {
        const query = new URLSearchParams(params);
        query.delete('category');
        query.delete('kind');
        if (name === 'physical') query.set('kind', name);
        return (
          <Link
            key={name}
            to={{ search: query.toString() }}
            aria-current={name === kind ? 'page' : undefined}
            className="grid min-h-11 items-center rounded px-4 text-muted hover:text-ink aria-[current]:bg-surface aria-[current]:text-accent-ink aria-[current]:shadow-card">
            {kindNames[name]}
          </Link>
        );
      })}
    </nav>
  );
}

function SearchBox({ value, onType }: { value: string; onType(value: string): void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="relative col-span-full lg:col-span-1">
      <label htmlFor={id} className="sr-only">
        Search products
      </label>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3.5 size-5 -translate-y-1/2 text-muted"
      />
      <input
        ref={input}
        id={id}
        type="search"
        value={value}
        onChange={({ target }) => onType(target.value)}
        placeholder="Search products..."
        autoComplete="off"
        enterKeyHint="search"
        className={inputClass('pr-11 pl-11 [&::-webkit-search-cancel-button]:hidden')}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            onType('');
            input.current?.focus();
          }}
          className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-md text-muted hover:text-ink">
          <X aria-hidden className="size-5" />
        </button>
      )}
    </div>
  );
}

const oneOf = <T extends string>(known: readonly T[], value: string | null): T | undefined =>
  known.find((candidate) => candidate === value);

/** The filters of the list, kept in the URL to be shared and restored. `onChange`: the shopper has changed one. */
export function useFilters(onChange: () => void) {
  const [params, setParams] = useSearchParams();
  const search = params.get('q') ?? '';
  const kind = params.get('kind') === 'physical' ? 'physical' : 'digital';
  // An error is not shown (docs/conformance.md), since the list works without the categories.
  const { data: entries = [], isSuccess } = useQuery(categoriesQuery(kind));
  // Categories of physical goods are free text, so the valid ones are those that the server lists.
  const given = params.get('category') || null;
  const known = isSuccess ? entries.map(({ name }) => name) : given ? [given] : [];
  const category = oneOf<string>(kind === 'digital' ? categories : known, given);
  const sort = oneOf(sortOptions, params.get('sort')) ?? 'featured';
  const { typed, type, overwrite } = useDebouncedParams({ q: search }, (words) => change(words, true));

  function change(changes: Record<string, string>, replace: boolean) {
    setParams(changedParams(changes), { replace, preventScrollReset: true });
  }

  function choose(changes: Record<string, string>) {
    change(changes, false);
    onChange();
  }

  return {
    /** The text in the search box. `search` takes this value when typing pauses. */
    typed: typed.q,
    search,
    kind: kind as ProductKind,
    category,
    entries,
    sort,
    type(q: string) {
      type({ q });
      onChange();
    },
    chooseCategory: (chosen: string) => choose({ category: chosen }),
    chooseSort: (chosen: SortOption) => choose({ sort: chosen === 'featured' ? '' : chosen }),
    reset() {
      overwrite({ q: '' });
      setParams(kind === 'physical' ? { kind } : {});
      onChange();
    },
  };
}

type Filters = ReturnType<typeof useFilters>;

/** Filters the loaded products at every keystroke, and asks the server when not all products are loaded. */
export function useProductList({ typed, search, kind, category, sort }: Filters) {
  const everything = useInfiniteQuery(productsQuery({ kind, category, sort }));
  const isComplete = everything.isSuccess && !everything.hasNextPage;
  const term = search.trim();
  const asksServer = term !== '' && everything.isSuccess && !isComplete;
  const willAskServer = everything.isSuccess && !isComplete && typed.trim() !== term;
  const found = useInfiniteQuery({ ...productsQuery({ kind, category, sort, q: term }), enabled: asksServer });

  const hasFailedToSearch = asksServer && found.isLoadingError;
  const source = asksServer && found.data && !found.isPlaceholderData ? found : everything;
  const products =
    source.data?.pages.flatMap((page) => page.data).filter(({ name }) => contains(name, typed.trim())) ?? [];
  const hasMore = source.hasNextPage && (typed.trim() === '' || source === found);
  const counted = source.data?.pages[0];
  return {
    products,
    /** The number of matches, including pages that are not loaded. */
    count: {
      total: Math.max(products.length, (hasMore && counted?.total) || 0),
      hasUncounted: hasFailedToSearch || (hasMore && counted?.hasUncounted === true),
    },
    isLoading: everything.isPending,
    /** The products shown are replaced when a newer response has loaded. */
    isRefreshing: everything.isPlaceholderData || willAskServer || (asksServer && source !== found && !found.isError),
    hasFailed: everything.isError || hasFailedToSearch,
    failed: hasFailedToSearch ? found : everything,
    hasMore: hasMore || hasFailedToSearch,
    isLoadingMore: source.isFetchingNextPage,
    hasFailedToLoadMore: source.isFetchNextPageError || hasFailedToSearch,
    loadMore: hasFailedToSearch ? found.refetch : source.fetchNextPage,
  };
}

export type ProductList = ReturnType<typeof useProductList>;
