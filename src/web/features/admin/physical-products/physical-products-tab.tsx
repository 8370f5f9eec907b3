import { Package, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { formatCount } from '../figures.ts';
import { useSearch } from '../use-search.ts';
import { useSearchedList } from '../use-searched-list.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { ProductCards, ProductTable } from './product-table.tsx';
import { useDeletions } from './use-deletions.ts';

const searched = ({ name, category }: PhysicalProduct) => [name, category];

export function PhysicalProductsTab() {
  const search = useSearch();
  const list = useSearchedList('listPhysicalProducts', {}, search, searched);
  const deletions = useDeletions();
  const [asked, setAsked] = useState<PhysicalProduct>();
  const location = useLocation();
  const products = list.entries.map(deletions.asShown);
  const term = search.typed.trim();
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="grid gap-0.5">
          <h2 className="text-xl">Physical Products</h2>
          <p role="status" className="tabular text-muted">
            {list.isLoading ? 'Loading products' : `${formatCount(list.total)} products available`}
          </p>
        </div>
        <Link to="/admin/products/new" state={{ from: location.search }} className={buttonClass()}>
          <Plus aria-hidden className="size-5" />
          Add Product
        </Link>
      </div>
      <search>
        <Field
          label="Search products"
          type="search"
          placeholder="Name or category"
          maxLength={100}
          value={search.typed}
          onChange={({ target }) => search.type(target.value)}
        />
      </search>
      {list.isLoading && <Skeleton className="h-96" />}
      {list.hasFailed && (
        <EmptyState
          icon={Package}
          heading="h3"
          title="Failed to load products"
          action={<Button onClick={list.retry}>Try again</Button>}
        />
      )}
      {products.length > 0 && (
        <div aria-busy={list.isRefreshing}>
          <div className="max-lg:hidden">
            <ProductTable products={products} onDelete={setAsked} />
          </div>
          <div className="lg:hidden">
            <ProductCards products={products} onDelete={setAsked} />
          </div>
        </div>
      )}
      {products.length === 0 && !list.isLoading && !list.isRefreshing && !list.hasFailed && (
        <EmptyState icon={Package} heading="h3" title="No products found">
          <p className="wrap-anywhere">
            {term === '' ? 'Add your first product to get started' : `No results for "${term}"`}
          </p>
        </EmptyState>
      )}
      {list.hasMore && (
        <Button
          variant="secondary"
          className="justify-self-center"
          loading={list.isLoadingMore}
          onClick={list.loadMore}
        >
          Load more
        </Button>
      )}
      <DeleteDialog product={asked} onDelete={deletions.remove} onClose={() => setAsked(undefined)} />
    </div>
  );
}
