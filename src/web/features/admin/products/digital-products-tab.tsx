import {
  Eye,
  EyeOff,
  KeyRound,
  type LucideIcon,
  Package,
  PackagePlus,
  Pencil,
  Plus,
  SearchX,
  Trash2,
  WifiOff,
} from 'lucide-react';
import { useState } from 'react';
import { formatDollars } from '../../../../shared/currency.ts';
import { formatCount, formatDay, plural } from '../../../../shared/format.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Badge, Card, classNames, EmptyState, Picture, Skeleton } from '../../../ui/display.tsx';
import { ListHeading, RemovingButton, SearchedList, useSearchedList } from '../admin-list.tsx';
import { useDashboardUrl } from '../dashboard.ts';
import { stockCounts } from '../inventory/stock.tsx';
import { DigitalProductDialogs, FindKey } from './digital-product-dialogs.tsx';
import { DeleteProductDialog, productKinds, type StatusChange, useProductStatus } from './product-kinds.tsx';

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
  const [isFinding, setIsFinding] = useState(false);
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
    <RemovingButton variant={onEmptyAction === add ? 'primary' : 'secondary'} onClick={onEmptyAction}>
      {emptyAction}
    </RemovingButton>
  );
  const count = showAll
    ? `Showing all ${formatCount(active + inactive)} ${plural(active + inactive, 'product')} (${formatCount(active)} active, ${formatCount(inactive)} inactive)`
    : `Showing ${formatCount(active)} active ${plural(active, 'product')} (${formatCount(inactive)} hidden)`;
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading title="Digital Products" list={list} of="products" count={count}>
        <div className="flex flex-wrap gap-3">
          <Button icon={showAll ? EyeOff : Eye} variant="secondary" onClick={() => set({ show: showAll ? '' : 'all' })}>
            {showAll ? 'Show Active Only' : 'Show All'}
          </Button>
          <Button icon={KeyRound} variant="secondary" onClick={() => setIsFinding(true)}>
            Find a Key
          </Button>
          <Button icon={Plus} onClick={add}>
            Add Digital Product
          </Button>
        </div>
      </ListHeading>
      <SearchedList
        list={{ ...list, entries, isLoading: list.isLoading || (list.isRefreshing && entries.length === 0) }}
        of="products"
        placeholder="Name"
        icon={WifiOff}
        failed="The products did not load"
        skeleton={skeleton}
        empty={
          <EmptyState icon={emptyIcon} heading="h3" title={emptyTitle} action={emptyButton}>
            {term === '' && !showAll && inactive > 0 && `${formatCount(inactive)} inactive products hidden`}
          </EmptyState>
        }>
        <ul aria-label="Digital products" className={gridClass} aria-busy={list.isRefreshing}>
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
      <Dialog isOpen={isFinding} onClose={() => setIsFinding(false)} title="Find a Key">
        <FindKey onClose={() => setIsFinding(false)} />
      </Dialog>
      <DeleteProductDialog
        product={toDelete}
        note="Its unsold items are withdrawn, and come back with Activate. What was sold stays with its buyers."
        onDelete={change}
        onClose={() => setToDelete(undefined)}
      />
    </div>
  );
}

interface CardProps {
  product: AdminDigitalProduct & { isPending: boolean };
  onOpen(dialog: 'edit' | 'stock'): void;
  onChange(to: StatusChange['to']): void;
}

function DigitalProductCard(props: CardProps) {
  const { product } = props;
  const { name, category, image, price, effectivePrice, featured, isActive, isDraft, deletedAt } = product;
  const { available } = product.inventoryStats;
  return (
    <Card className="flex w-full flex-col overflow-hidden">
      <article className="contents">
        <div className="relative">
          <Picture
            src={image}
            category={category}
            className={classNames('aspect-4/3', !isActive && 'opacity-60 grayscale')}
          />
          <div className="absolute inset-x-3 top-3 flex flex-wrap gap-1.5">
            {featured && <Badge tone="accent">Featured</Badge>}
            {!isActive && <Badge>{isDraft ? 'Draft' : 'Inactive'}</Badge>}
            {isActive && available === 0 && <Badge tone="danger">No Stock</Badge>}
          </div>
        </div>
        <div className="flex flex-1 flex-col gap-3 p-4">
          <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
            <div className="min-w-0 flex-1 basis-[6rem]">
              <h3 dir="auto" className="line-clamp-4 text-left text-base leading-snug wrap-anywhere">
                {name}
              </h3>
              <p className="text-sm text-muted wrap-anywhere">{category}</p>
            </div>
            <div className="tabular ml-auto shrink-0 text-right">
              <p className="font-bold">{formatDollars(price, 'MYR')}</p>
              <p className="text-sm text-muted">{formatDollars(price)}</p>
              {effectivePrice < price && (
                <Badge tone="sale" className="mt-1">
                  now {formatDollars(effectivePrice)}
                </Badge>
              )}
            </div>
          </div>
          {!isActive && deletedAt !== null && (
            <p className="text-sm text-muted">Deleted {formatDay(deletedAt)}. What was sold stays with its buyers.</p>
          )}
          <dl className="mt-auto flex flex-wrap gap-2 rounded-md bg-sunken px-2 py-2.5 text-center">
            {Object.entries(stockCounts(product)).map(([label, n]) => (
              <div key={label} className="grid flex-1">
                <dt className="text-xs text-muted">{label}</dt>
                <dd className="tabular font-semibold">{n}</dd>
              </div>
            ))}
          </dl>
          <Buttons {...props} />
        </div>
      </article>
    </Card>
  );
}

function Buttons({ product: { name, isActive, isDraft, deletedAt, isPending }, onOpen, onChange }: CardProps) {
  const isEditable = isActive || (isDraft && deletedAt === null);
  const buttons: [words: string, icon: LucideIcon, onClick: () => void][] = isEditable
    ? [
        ['Edit', Pencil, () => onOpen('edit')],
        ['Stock', Package, () => onOpen('stock')],
        isActive ? ['Deactivate', EyeOff, () => onChange('inactive')] : ['Publish', Eye, () => onChange('active')],
        ['Delete', Trash2, () => onChange('deleted')],
      ]
    : [
        ['Activate', Eye, () => onChange('active')],
        ['Permanently Delete', Trash2, () => onChange('deleted')],
      ];
  return (
    <div className={classNames('flex flex-wrap gap-2 *:grow', isEditable ? '*:basis-2/5' : '*:basis-full')}>
      {buttons.map(([words, Icon, onClick]) => (
        <Button
          icon={Icon}
          key={words}
          size="sm"
          variant={Icon === Trash2 ? 'danger' : 'secondary'}
          disabled={isPending}
          className="min-h-11"
          aria-label={`${words === 'Stock' ? 'Stock of' : words} ${name}`}
          onClick={onClick}>
          {words}
        </Button>
      ))}
    </div>
  );
}
