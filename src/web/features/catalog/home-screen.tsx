import { SearchX, WifiOff } from 'lucide-react';
import { useTitle } from '../../lib/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Hero } from './hero.tsx';
import { ProductCard, ProductCardSkeleton } from './product-card.tsx';
import { useFilters } from './use-filters.ts';
import { useProductList } from './use-product-list.ts';

const skeletons = Array.from({ length: 8 }, (_, place) => `skeleton-${place}`);
const IN_SIGHT = 4;
const gridClass = 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,15.5rem),1fr))] gap-5';

const counted = (count: number) => `${count} ${count === 1 ? 'product' : 'products'}`;

export function HomeScreen() {
  const filters = useFilters();
  const list = useProductList(filters);
  useTitle(filters.category ?? 'Digital goods, delivered instantly');

  return (
    <>
      <Hero />
      <section aria-labelledby="products" className="mx-auto grid max-w-page gap-5 px-4 sm:px-6">
        <div className="flex items-baseline justify-between gap-4">
          <h2 id="products" className="text-2xl">
            Products
          </h2>
          <p role="status" className="tabular w-36 text-right text-sm text-muted">
            {list.isLoading ? (
              <span className="sr-only">Loading products</span>
            ) : (
              !isBroken(list) && counted(list.products.length)
            )}
          </p>
        </div>
        <FilterBar filters={filters} />
        <ProductGrid list={list} onReset={filters.reset} />
      </section>
    </>
  );
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
      <EmptyState
        icon={WifiOff}
        title="The products did not load"
        action={<Button onClick={list.retry}>Try again</Button>}
      >
        Please check your connection.
      </EmptyState>
    );
  }
  if (list.products.length === 0) {
    return (
      <EmptyState
        icon={SearchX}
        title="No products found"
        action={
          <Button variant="secondary" onClick={onReset}>
            Show all products
          </Button>
        }
      >
        Try another name or category.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className={gridClass} aria-busy={list.isRefreshing}>
        {list.products.map((product, place) => (
          <li key={product._id} className="grid">
            <ProductCard product={product} eager={place < IN_SIGHT} />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button
          variant="secondary"
          loading={list.isLoadingMore}
          onClick={list.loadMore}
          className="mx-auto mt-3"
        >
          Show more
        </Button>
      )}
    </>
  );
}
