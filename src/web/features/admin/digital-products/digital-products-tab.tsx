import { Eye, EyeOff, Plus, WifiOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useDashboardUrl, useSearch } from '../dashboard-url.ts';
import { DeleteProductDialog } from '../delete-product-dialog.tsx';
import { StockDialog } from '../inventory/stock-dialog.tsx';
import { LoadMore, SearchField, useSearchedList } from '../searched-list.tsx';
import { AddProductDialog } from './add-product-dialog.tsx';
import { EditProductDialog } from './edit-product-dialog.tsx';
import { EmptyList } from './empty-list.tsx';
import { type CardActions, ProductCard } from './product-card.tsx';
import { useOpenedProduct } from './use-opened-product.ts';
import { type ShownProduct, useProductStatus } from './use-product-status.ts';

const gridClass = 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,17rem),1fr))] gap-5';
const skeletons = Array.from({ length: 4 }, (_, place) => `skeleton-${place}`);

const searched = ({ name }: AdminDigitalProduct) => [name];

export function DigitalProductsTab() {
  const { get, set } = useDashboardUrl();
  const showAll = get('show') === 'all';
  const search = useSearch();
  const list = useSearchedList(
    'GET /admin/digital-products',
    showAll ? {} : { status: 'active' },
    search,
    searched,
  );
  const { products, counts, ...change } = useProductStatus(list.entries, list.lastPage?.counts);
  const opened = useOpenedProduct();
  const [deleted, setDeleted] = useState<ShownProduct>();
  const shown = showAll ? products : products.filter(({ isActive }) => isActive);
  const setShowAll = (all: boolean) => set({ show: all ? 'all' : '' });
  const setAdding = (isAdding: boolean) => set({ dialog: isAdding ? 'add' : '' });
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <div>
          <h2 className="text-xl">Digital Products</h2>
          <p role="status" className="tabular text-muted">
            {showAll
              ? `Showing all ${counts.active + counts.inactive} products (${counts.active} active, ${counts.inactive} inactive)`
              : `Showing ${counts.active} active products (${counts.inactive} hidden)`}
          </p>
        </div>
        <div className="flex flex-wrap gap-3">
          <Button variant="secondary" onClick={() => setShowAll(!showAll)}>
            {showAll ? <EyeOff aria-hidden className="size-5" /> : <Eye aria-hidden className="size-5" />}
            {showAll ? 'Show Active Only' : 'Show All'}
          </Button>
          <Button onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-5" />
            Add Digital Product
          </Button>
        </div>
      </div>
      <SearchField label="Search products" placeholder="Name" value={search.typed} onChange={search.type} />
      <Products
        list={list}
        products={shown}
        actions={{
          onEdit: (id) => opened.open('edit', id),
          onStock: (id) => opened.open('stock', id),
          onActivate: change.activate,
          onDeactivate: change.deactivate,
          onDelete: setDeleted,
        }}
        empty={
          <EmptyList
            term={search.typed.trim()}
            hidden={showAll ? 0 : counts.inactive}
            onClear={search.clear}
            onShowAll={() => setShowAll(true)}
            onAdd={() => setAdding(true)}
          />
        }
      />
      <AddProductDialog isOpen={get('dialog') === 'add'} onClose={() => setAdding(false)} />
      <EditProductDialog product={opened.edited} onClose={opened.close} />
      {opened.stocked && <StockDialog product={opened.stocked} onClose={opened.close} />}
      <DeleteProductDialog product={deleted} onDelete={change.remove} onClose={() => setDeleted(undefined)}>
        <p className="text-sm text-muted">
          Its unsold items are withdrawn for good. What was sold stays with its buyers.
        </p>
      </DeleteProductDialog>
    </div>
  );
}

interface ProductsProps {
  list: Omit<ReturnType<typeof useSearchedList>, 'lastPage'>;
  products: ShownProduct[];
  actions: CardActions;
  /** In the list's place when there is nothing in it. */
  empty: ReactNode;
}

function Products({ list, products, actions, empty }: ProductsProps) {
  if (list.isLoading || (list.isRefreshing && products.length === 0)) {
    return (
      <div className={gridClass}>
        {skeletons.map((name) => (
          <Skeleton key={name} className="h-96" />
        ))}
      </div>
    );
  }
  if (list.hasFailed) {
    return (
      <EmptyState
        icon={WifiOff}
        heading="h3"
        title="The products did not load"
        action={<Button onClick={list.retry}>Try again</Button>}
      />
    );
  }
  if (products.length === 0 && !list.hasMore) return empty;
  return (
    <>
      <ul className={gridClass} aria-busy={list.isRefreshing}>
        {products.map((product) => (
          <li key={product._id} className="flex">
            <ProductCard product={product} actions={actions} />
          </li>
        ))}
      </ul>
      <LoadMore hasMore={list.hasMore} isLoading={list.isLoadingMore} onLoad={list.loadMore} />
    </>
  );
}
