import { Eye, EyeOff, PackagePlus, Plus, SearchX, WifiOff } from 'lucide-react';
import { useState } from 'react';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/card.tsx';
import { ListHeading, SearchedList, useSearchedList } from '../admin-list.tsx';
import { useDashboardUrl } from '../dashboard-url.ts';
import { DigitalProductCard } from './digital-product-card.tsx';
import { DigitalProductDialogs } from './digital-product-dialogs.tsx';
import { productKinds } from './product-kinds.ts';
import { DeleteProductDialog, useProductStatus } from './product-status.tsx';

const gridClass = 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,17rem),1fr))] gap-5';

const skeleton = (
  <div className={gridClass}>
    {['first', 'second', 'third', 'fourth'].map((place) => (
      <Skeleton key={place} className="h-96" />
    ))}
  </div>
);

const searchedTexts = ({ name }: AdminDigitalProduct) => [name];

export function DigitalProductsTab() {
  const { get, set } = useDashboardUrl();
  const showAll = get('show') === 'all';
  const list = useSearchedList('GET /admin/digital-products', showAll ? {} : { status: 'active' }, searchedTexts);
  const { products, gained, change } = useProductStatus(productKinds.digital, list.entries);
  const counts = list.lastPage?.counts ?? { active: 0, inactive: 0 };
  const [active, inactive] = [counts.active + gained, counts.inactive - gained];
  const [toDelete, setToDelete] = useState<AdminDigitalProduct>();
  const entries = showAll ? products : products.filter(({ isActive }) => isActive);
  const add = () => set({ dialog: 'add' });
  const term = list.search.typed.trim();
  const [emptyIcon, emptyTitle, emptyAction, onEmptyAction] =
    term !== ''
      ? ([SearchX, `No products found matching "${term}"`, 'Clear search', list.search.clear] as const)
      : !showAll && inactive > 0
        ? ([EyeOff, 'No active products to display', 'Show all products', () => set({ show: 'all' })] as const)
        : ([PackagePlus, 'No digital products yet', 'Add Your First Product', add] as const);
  const emptyButton = (
    <Button variant={onEmptyAction === add ? 'primary' : 'secondary'} onClick={onEmptyAction}>
      {emptyAction}
    </Button>
  );
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <ListHeading title="Digital Products">
          {showAll
            ? `Showing all ${active + inactive} products (${active} active, ${inactive} inactive)`
            : `Showing ${active} active products (${inactive} hidden)`}
        </ListHeading>
        <div className="flex flex-wrap gap-3">
          <Button icon={showAll ? EyeOff : Eye} variant="secondary" onClick={() => set({ show: showAll ? '' : 'all' })}>
            {showAll ? 'Show Active Only' : 'Show All'}
          </Button>
          <Button icon={Plus} onClick={add}>
            Add Digital Product
          </Button>
        </div>
      </div>
      <SearchedList
        list={{ ...list, entries, isLoading: list.isLoading || (list.isRefreshing && entries.length === 0) }}
        of="products"
        placeholder="Name"
        icon={WifiOff}
        failed="The products did not load"
        skeleton={skeleton}
        empty={
          <EmptyState icon={emptyIcon} heading="h3" title={emptyTitle} action={emptyButton}>
            {term === '' && !showAll && inactive > 0 && `${inactive} inactive products hidden`}
          </EmptyState>
        }>
        <ul className={gridClass} aria-busy={list.isRefreshing}>
          {entries.map((product) => (
            <li key={product._id} className="flex">
              <DigitalProductCard
                product={product}
                onOpen={(dialog) => set({ dialog, product: product._id })}
                onChange={(to) => (to === 'deleted' ? setToDelete(product) : change({ product, to }))}
              />
            </li>
          ))}
        </ul>
      </SearchedList>
      <DigitalProductDialogs />
      <DeleteProductDialog
        product={toDelete}
        note="Its unsold items are withdrawn for good. What was sold stays with its buyers."
        onDelete={change}
        onClose={() => setToDelete(undefined)}
      />
    </div>
  );
}
