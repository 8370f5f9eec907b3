import { useInfiniteQuery } from '@tanstack/react-query';
import { SearchX, Store, WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Product } from '../../../shared/catalog.ts';
import { contains, formatTotal, plural } from '../../../shared/format.ts';
import { type ListFilters, listTitles } from '../../../shared/pages.ts';
import type { Counted } from '../../../shared/paging.ts';
import { useTitle } from '../../lib/page.ts';
import { productsQuery } from '../../lib/product-queries.ts';
import { useSession } from '../../state/session.tsx';
import { useCurrency } from '../../state/shop.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/display.tsx';
import { LoadFailure } from '../../ui/loading.tsx';
import { FilterBar, KindSwitch, useFilters } from './filter-bar.tsx';
import { Hero } from './hero.tsx';
import { ProductCard, ProductCardSkeleton } from './product-card.tsx';

const skeletons = Array.from({ length: 8 }, (_, place) => `skeleton-${place}`);
const VISIBLE_AT_FIRST = 4;
// About two screens.
const LOAD_AHEAD = '0px 0px 1600px';
// A card that gets the keyboard focus scrolls to below the sticky bar.
const gridClass =
  'grid grid-cols-[repeat(auto-fill,minmax(min(100%,max(8.25rem,40%)),1fr))] gap-3 sm:grid-cols-[repeat(auto-fill,minmax(15.5rem,1fr))] sm:gap-5 [&_:is(a,button)]:scroll-mt-32';

const counted = (count: Counted) => `${formatTotal(count)} ${plural(count.total, 'product')}`;

export function HomeScreen() {
  const section = useRef<HTMLElement>(null);
  const filters = useFilters(showListFromTop);
  const list = useProductList(filters);
  const { code } = useCurrency();
  const isFiltered = filters.typed !== '' || filters.search !== '' || filters.category !== undefined;
  const isEmptyShop =
    !isFiltered && !list.isLoading && !list.isRefreshing && !list.hasFailed && list.products.length === 0;
  useTitle(filters.category ?? listTitles[filters.kind]);

  /** Scrolls up to the list, because the page may be scrolled beyond the end of a shorter new list. */
  function showListFromTop() {
    const top = section.current?.getBoundingClientRect().top ?? 0;
    if (top < 0) section.current?.scrollIntoView();
  }

  function showAll() {
    filters.reset();
    section.current?.focus({ preventScroll: true });
  }

  return (
    <>
      <Hero kind={filters.kind} />
      {/* Takes the focus from "Show all products", which disappears. */}
      <section
        ref={section}
        tabIndex={-1}
        aria-labelledby="products"
        className="mx-auto flex max-w-page flex-col px-4 outline-none sm:px-6">
        {/* As high as the two lines on the right, so that a late detection of the currency causes no layout shift. */}
        <div className="flex min-h-10 flex-wrap items-end justify-between gap-x-6 gap-y-3">
          <h2 id="products" className="text-2xl">
            Products
          </h2>
          <KindSwitch kind={filters.kind} />
          <div className="ml-auto min-w-42 text-right whitespace-nowrap text-muted">
            <p role="status" className="tabular text-sm">
              {list.isLoading ? (
                <span className="sr-only">Loading products</span>
              ) : (
                !isBroken(list) && !isEmptyShop && counted(list.count)
              )}
            </p>
            {code !== 'USD' && <p className="text-xs">Payment is always in USD.</p>}
          </div>
        </div>
        {isEmptyShop ? (
          <OpeningSoon />
        ) : (
          <>
            <FilterBar filters={filters} />
            <ProductGrid list={list} onReset={showAll} />
          </>
        )}
      </section>
    </>
  );
}

function OpeningSoon() {
  const { user } = useSession();
  const dashboard = user?.role === 'admin' && <ButtonLink to="/admin">Go to the dashboard</ButtonLink>;
  return (
    <EmptyState icon={Store} title="Opening soon" action={dashboard}>
      No products found yet: we are filling the shelves. Please come back in a little while.
    </EmptyState>
  );
}

const isNamed =
  (term: string) =>
  ({ name }: Product) =>
    contains(name, term.trim());

interface SearchedFilters extends Omit<ListFilters, 'q'> {
  /** The text in the search box. */
  typed: string;
  /** The search text that is sent to the server. */
  search: string;
}

/** Filters the loaded products at every keystroke, and asks the server when not all products are loaded. */
function useProductList({ typed, search, kind, category, sort }: SearchedFilters) {
  const everything = useInfiniteQuery(productsQuery({ kind, category, sort }));
  const isComplete = everything.isSuccess && !everything.hasNextPage;
  const term = search.trim();
  const asksServer = term !== '' && everything.isSuccess && !isComplete;
  const willAskServer = everything.isSuccess && !isComplete && typed.trim() !== term;
  const found = useInfiniteQuery({ ...productsQuery({ kind, category, sort, q: term }), enabled: asksServer });

  const hasFailedToSearch = asksServer && found.isLoadingError;
  const source = asksServer && found.data && !found.isPlaceholderData ? found : everything;
  const products = source.data?.pages.flatMap((page) => page.data).filter(isNamed(typed)) ?? [];
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

type ProductList = ReturnType<typeof useProductList>;

const isBroken = ({ hasFailed, products }: ProductList) => hasFailed && products.length === 0;

function ProductGrid({ list, onReset }: { list: ProductList; onReset(): void }) {
  if (list.isLoading || (list.isRefreshing && list.products.length === 0)) {
    return (
      <div className={gridClass}>
        {skeletons.map((name) => (
          <ProductCardSkeleton key={name} />
        ))}
      </div>
    );
  }
  if (isBroken(list)) {
    return (
      <LoadFailure icon={WifiOff} title="The products did not load" query={list.failed}>
        Please check your connection.
      </LoadFailure>
    );
  }
  if (list.products.length === 0) {
    const reset = (
      <Button variant="secondary" onClick={onReset}>
        Show all products
      </Button>
    );
    return (
      <EmptyState icon={SearchX} title="No products found" action={reset}>
        Try another name or category.
      </EmptyState>
    );
  }
  return (
    <>
      <ul
        className={classNames(gridClass, 'transition-opacity', list.isRefreshing && 'opacity-50')}
        aria-busy={list.isRefreshing}>
        {list.products.map((product, place) => (
          <li key={product._id} className="grid">
            <ProductCard product={product} eager={place < VISIBLE_AT_FIRST} />
          </li>
        ))}
      </ul>
      {list.hasMore && <NextPage list={list} />}
    </>
  );
}

/** Loads the next page before the shopper scrolls to the end. The button is for fast scrolling and after an error. */
function NextPage({ list }: { list: ProductList }) {
  const end = useRef<HTMLDivElement>(null);
  const { loadMore } = list;
  const waits = list.isLoadingMore || list.isRefreshing || list.hasFailedToLoadMore;

  useEffect(() => {
    if (end.current === null || waits) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void loadMore();
      },
      { rootMargin: LOAD_AHEAD },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [waits, loadMore]);

  return (
    <div ref={end} className="mt-8 grid justify-center gap-2 text-center">
      {list.hasFailedToLoadMore && (
        <p role="alert" className="text-sm text-danger">
          The next products did not load.
        </p>
      )}
      <Button variant="secondary" loading={list.isLoadingMore} onClick={() => void loadMore()}>
        {list.hasFailedToLoadMore ? 'Try again' : 'Show more'}
      </Button>
    </div>
  );
}
