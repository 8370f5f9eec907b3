import { Eye, EyeOff, PackagePlus, Plus, SearchX, WifiOff } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/card.tsx';
import { LoadMore, useSearchedList } from '../admin-list.tsx';
import { useDashboardUrl, useSearch } from '../dashboard-url.ts';
import { SearchField } from '../filter-bar.tsx';
import { StockDialog } from '../inventory/stock-dialog.tsx';
import { type CardActions, DigitalProductCard } from './digital-product-card.tsx';
import { AddProductDialog, EditProductDialog } from './digital-product-dialogs.tsx';
import { productKinds, useProduct } from './product-kinds.ts';
import { DeleteProductDialog, type ShownProduct, useProductStatus } from './product-status.tsx';

const kind = productKinds.digital;
const gridClass = 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,17rem),1fr))] gap-5';
const skeletons = Array.from({ length: 4 }, (_, place) => `skeleton-${place}`);

const searchedTexts = ({ name }: AdminDigitalProduct) => [name];

export function DigitalProductsTab() {
  const { get, set } = useDashboardUrl();
  const showAll = get('show') === 'all';
  const search = useSearch();
  const list = useSearchedList(
    'GET /admin/digital-products',
    showAll ? {} : { status: 'active' },
    search,
    searchedTexts,
  );
  const { products, gained, setActive, remove } = useProductStatus(kind, list.entries);
  const loadedCounts = list.lastPage?.counts ?? { active: 0, inactive: 0 };
  const [active, inactive] = [loadedCounts.active + gained, loadedCounts.inactive - gained];
  const opened = useOpenedProduct();
  const [toDelete, setToDelete] = useState<AdminDigitalProduct>();
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
              ? `Showing all ${active + inactive} products (${active} active, ${inactive} inactive)`
              : `Showing ${active} active products (${inactive} hidden)`}
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
          onSetActive: setActive,
          onDelete: setToDelete,
        }}
        empty={
          <EmptyList
            term={search.typed.trim()}
            hidden={showAll ? 0 : inactive}
            onClear={search.clear}
            onShowAll={() => setShowAll(true)}
            onAdd={() => setAdding(true)}
          />
        }
      />
      <AddProductDialog isOpen={get('dialog') === 'add'} onClose={() => setAdding(false)} />
      <EditProductDialog product={opened.edited} onClose={opened.close} />
      {opened.stocked && <StockDialog product={opened.stocked} onClose={opened.close} />}
      <DeleteProductDialog kind={kind} product={toDelete} onDelete={remove} onClose={() => setToDelete(undefined)} />
    </div>
  );
}

const dialogs = ['edit', 'stock'] as const;

/** The product that the URL names, with its dialog; a toast says so when there is no such product. */
function useOpenedProduct() {
  const { get, set } = useDashboardUrl();
  const { show } = useToasts();
  const dialog = dialogs.find((name) => name === get('dialog'));
  const { data, error, isLoadingError } = useProduct(kind, dialog ? get('product') : '');

  useEffect(() => {
    if (!isLoadingError) return;
    show({ type: 'error', message: messageOf(error, 'Product not found') });
    set({ dialog: '', product: '' });
  }, [isLoadingError, error, show, set]);

  return {
    edited: dialog === 'edit' ? data : undefined,
    stocked: dialog === 'stock' ? data : undefined,
    open: (name: (typeof dialogs)[number], product: string) => set({ dialog: name, product }),
    close: () => set({ dialog: '', product: '' }),
  };
}

interface ProductsProps {
  list: Omit<ReturnType<typeof useSearchedList>, 'lastPage'>;
  products: ShownProduct<AdminDigitalProduct>[];
  actions: CardActions;
  /** Shown when the list is empty. */
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
  if (list.error !== null) {
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
            <DigitalProductCard product={product} actions={actions} />
          </li>
        ))}
      </ul>
      <LoadMore hasMore={list.hasMore} isLoading={list.isLoadingMore} onLoad={list.loadMore} />
    </>
  );
}

interface EmptyListProps {
  term: string;
  hidden: number;
  onClear(): void;
  onShowAll(): void;
  onAdd(): void;
}

/** Why the list is empty, and what to do about it. */
function EmptyList({ term, hidden, onClear, onShowAll, onAdd }: EmptyListProps) {
  if (term !== '') {
    const clear = (
      <Button variant="secondary" onClick={onClear}>
        Clear search
      </Button>
    );
    return <EmptyState icon={SearchX} heading="h3" title={`No products found matching "${term}"`} action={clear} />;
  }
  if (hidden > 0) {
    const showAll = (
      <Button variant="secondary" onClick={onShowAll}>
        Show all products
      </Button>
    );
    return (
      <EmptyState icon={EyeOff} heading="h3" title="No active products to display" action={showAll}>
        {hidden} inactive products hidden
      </EmptyState>
    );
  }
  const add = <Button onClick={onAdd}>Add Your First Product</Button>;
  return <EmptyState icon={PackagePlus} heading="h3" title="No digital products yet" action={add} />;
}
