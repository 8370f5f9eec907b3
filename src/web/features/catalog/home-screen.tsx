import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { BadgeCheck, SearchX, ShieldCheck, Store, Truck, WifiOff, Zap } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ProductKind } from '../../../shared/catalog.ts';
import { formatTotal, plural } from '../../../shared/format.ts';
import { listTitles } from '../../../shared/pages.ts';
import type { Counted } from '../../../shared/paging.ts';
import { useTitle } from '../../lib/page.ts';
import { useSession } from '../../state/session.tsx';
import { closedQuery, productsQuery, useCurrency } from '../../state/shop.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Callout, classNames, EmptyState, Picture } from '../../ui/display.tsx';
import { LoadFailure } from '../../ui/loading.tsx';
import { ProductCard, ProductCardSkeleton, ProductLink } from './product-card.tsx';
import { FilterBar, KindSwitch, type ProductList, useFilters, useProductList } from './product-list.tsx';

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

const secure = { icon: ShieldCheck, text: 'Secure card payment' };

const texts = {
  digital: {
    title: 'Digital goods, delivered the moment you pay',
    text: 'Game keys, subscriptions, gift cards and software. Pick one, pay by card, and read your key on the very next page.',
    promises: [{ icon: Zap, text: 'Delivered in seconds' }, secure, { icon: BadgeCheck, text: 'Replaced if it fails' }],
  },
  physical: {
    title: listTitles.physical,
    text: 'Pick one, pay by card, and follow your parcel. Digital goods go into the same cart.',
    promises: [{ icon: Truck, text: 'Sent to your address' }, secure],
  },
};

function Hero({ kind }: { kind: ProductKind }) {
  const { title, text, promises } = texts[kind];
  const closed = useQuery(closedQuery).data;
  return (
    <section className="relative mx-auto grid max-w-page items-center gap-8 px-4 pt-6 pb-10 sm:px-6 sm:pt-10 lg:grid-cols-[1.1fr_1fr] lg:pt-12 lg:pb-14">
      <div className="grid gap-5">
        {closed && (
          <Callout tone="warning" className="wrap-anywhere">
            {closed}
          </Callout>
        )}
        <h1 className="max-w-xl text-3xl">{title}</h1>
        <p className="max-w-lg text-muted sm:text-lg">{text}</p>
        <ul className="flex flex-wrap gap-x-6 gap-y-2 text-sm font-semibold">
          {promises.map(({ icon: Icon, text }) => (
            <li key={text} className="flex items-center gap-2">
              <Icon aria-hidden className="size-4.5 text-accent" />
              {text}
            </li>
          ))}
        </ul>
      </div>
      <ShopWindow kind={kind} />
    </section>
  );
}

const places = [
  'left-[5%] top-16 w-[46%] -rotate-6',
  'right-[5%] top-16 w-[46%] rotate-6',
  'left-1/2 top-10 w-[54%] -translate-x-1/2',
];

/** Shows three featured products. Hidden from screen readers, because the list below has all products. */
function ShopWindow({ kind }: { kind: ProductKind }) {
  const { data } = useInfiniteQuery(productsQuery({ kind, category: undefined, sort: 'featured' }));
  // The first product is in front.
  const [front, left, right] = (data?.pages[0]?.data ?? []).filter(({ stock }) => stock > 0);
  return (
    <div
      aria-hidden
      className="relative mx-auto h-76 w-full max-w-xl overflow-hidden rounded-xl bg-sunken max-md:hidden">
      {[left, right, front].map(
        (product, index) =>
          product && (
            <ProductLink
              key={places[index]}
              product={product}
              tabIndex={-1}
              className={`absolute block rounded-lg shadow-float transition-[scale] duration-300 motion-safe:hover:scale-104 ${places[index]}`}>
              <Picture src={product.image} eager className="aspect-4/3 rounded-lg" category={product.category} />
            </ProductLink>
          ),
      )}
      {data && !front && <Store aria-hidden className="absolute inset-0 m-auto size-16 text-accent" />}
      <div className="awning absolute inset-x-0 top-0 h-8" />
    </div>
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
    const text = 'Please check your connection.';
    return <LoadFailure icon={WifiOff} title="The products did not load" text={text} query={list.failed} />;
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
