import { KeyRound } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { contains, formatCount, plural } from '../../../../shared/format.ts';
import type { InventoryItem, ItemState } from '../../../../shared/inventory.ts';
import { MAX_SEARCH_LENGTH } from '../../../../shared/paging.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { useDebounced } from '../../../lib/page.ts';
import { EmptyState, Skeleton } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Choice, SearchField } from '../../../ui/input.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import { ListView, listState } from '../admin-list.tsx';
import { useAdminList, useAdminPages } from '../dashboard.ts';
import { InventoryUpload, SharedContentForm } from './inventory-upload.tsx';
import {
  type ItemAction,
  type ItemDialogProps,
  itemStates,
  RestoreDialog,
  RevealItemDialog,
  StockItemRow,
  VoidDialog,
} from './items.tsx';

export function Stock({ product }: { product: AdminDigitalProduct }) {
  const [view, setView] = useState<'add' | 'items'>(product.delivery === 'manual' ? 'items' : 'add');
  const productId = product._id;
  const isFromStock = product.delivery === 'unique';
  const stats = useInventory(productId).data?.pages[0]?.stats ?? product.inventoryStats;
  const showItems = () => setView('items');
  const upload = (
    <InventoryUpload productId={productId} emptyMessage="Please add at least one item" onDone={showItems} />
  );
  const add = (label: string, content: ReactNode) => [{ value: 'add' as const, label, keepMounted: true, content }];
  const adding = {
    unique: add('Add', upload),
    shared: add('Content', <SharedContentForm productId={productId} />),
    file: [],
    // Staff type each item on the order's page.
    manual: [],
  };
  return (
    <>
      <p className="-mt-3 font-semibold wrap-anywhere text-muted">{product.name}</p>
      <dl className="flex flex-wrap gap-3 text-center">
        {Object.entries(stockCounts({ ...product, inventoryStats: stats })).map(([name, n]) => (
          <div key={name} className="flex flex-1 flex-col-reverse rounded-md bg-sunken px-2 py-2.5">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="tabular text-xl font-semibold">{n}</dd>
          </div>
        ))}
      </dl>
      <Tabs<'add' | 'items'>
        label="Inventory"
        value={view}
        onChange={setView}
        tabs={[
          ...adding[product.delivery],
          {
            value: 'items',
            label: isFromStock ? 'Items' : 'Delivered',
            content: <ItemList productId={productId} isFromStock={isFromStock} />,
          },
        ]}
      />
    </>
  );
}

export function stockCounts({ delivery, unitsLeft, inventoryStats }: AdminDigitalProduct): Record<string, string> {
  const { total, available, sold } = inventoryStats;
  return delivery === 'unique'
    ? { Total: formatCount(total), Available: formatCount(available), Sold: formatCount(sold) }
    : { 'Units left': unitsLeft === null ? 'No limit' : formatCount(unitsLeft), Delivered: formatCount(sold) };
}

const stateNames = Object.fromEntries(Object.entries(itemStates).map(([state, { name }]) => [state, name]));

function useInventory(id: string, state?: ItemState) {
  return useAdminPages(['inventory', id, state], async (cursor) => {
    const query = { limit: 50, ...(state && { state }), ...(cursor !== null && { cursor }) };
    const { data, nextCursor } = await call('GET /digital-products/:id/inventory', { params: { id }, query });
    return { data: data.items, stats: data.stats, nextCursor };
  });
}

function ItemList({ productId, isFromStock }: { productId: string; isFromStock: boolean }) {
  const [state, setState] = useState<ItemState>();
  const [chosen, setChosen] = useState<{ item: InventoryItem; action: ItemAction }>();
  const list = listState(useInventory(productId, state));
  const dialogProps = (action: ItemAction) => ({
    params: { id: productId, itemId: chosen?.item._id ?? '' },
    masked: chosen?.item.masked,
    isOpen: chosen?.action === action,
    onClose: () => setChosen(undefined),
  });

  return (
    <div className="grid gap-4">
      <Select
        label="Show"
        options={{ '': 'All items', ...stateNames }}
        value={state ?? ''}
        onChange={({ target }) => setState((target.value || undefined) as ItemState | undefined)}
      />
      <ListView
        list={list}
        of="items"
        icon={KeyRound}
        failed="The items could not be loaded"
        more="Show more"
        empty={<EmptyState heading="h3" icon={KeyRound} title={state ? 'No such items' : 'No items yet'} />}
        skeleton={<Skeleton className="h-40" />}>
        <ol aria-label="Items" aria-busy={list.isRefreshing} className="grid gap-3">
          {list.entries.map((item) => (
            <StockItemRow
              key={item._id}
              productId={productId}
              isFromStock={isFromStock}
              item={item}
              onChoose={(action) => setChosen({ item, action })}
            />
          ))}
        </ol>
      </ListView>
      <VoidDialog {...dialogProps('void')} />
      <RestoreDialog {...dialogProps('restore')} />
      <MoveDialog {...dialogProps('move')} />
      <RevealItemDialog {...dialogProps('reveal')} />
    </div>
  );
}

function MoveDialog({ params, masked, onClose, ...dialog }: ItemDialogProps) {
  const [product, setProduct] = useState<string>();
  const [isChecked, setIsChecked] = useState(false);
  return (
    <ActionDialog
      {...dialog}
      title="Move this item?"
      about={params.itemId}
      action="Move item"
      danger={false}
      send={(reason) =>
        call('POST /digital-products/:id/inventory/:itemId/move', { params, body: { reason, product: product ?? '' } })
      }
      successMessage="The item is moved, and on sale there"
      errorMessage="Failed to move the item"
      isFilled={product !== undefined}
      checkFields={() => {
        setIsChecked(true);
        return product !== undefined;
      }}
      onClose={() => {
        setProduct(undefined);
        setIsChecked(false);
        onClose();
      }}>
      <p>
        <code className="font-mono break-all">{masked}</code> is put on sale as one of another product. That you moved
        it, when and why goes on record.
      </p>
      <ProductChoice
        except={params.id}
        chosen={product}
        onChoose={setProduct}
        error={isChecked && product === undefined ? 'Please choose a product' : undefined}
      />
    </ActionDialog>
  );
}

const PRODUCTS_SHOWN = 6;

interface ProductChoiceProps {
  except: string;
  chosen: string | undefined;
  onChoose(id: string | undefined): void;
  error: string | undefined;
}

/** Offers the newest products with items from stock, or those whose names contain the typed text. */
function ProductChoice({ except, chosen, onChoose, error }: ProductChoiceProps) {
  const name = useId();
  const [typed, setTyped] = useState('');
  const [q] = useDebounced(typed.trim());
  // One more than are shown, because the product of the item is left out.
  const query = { delivery: 'unique', limit: PRODUCTS_SHOWN + 1, ...(q && { q }) } as const;
  const list = useAdminList('GET /admin/digital-products', query);
  const isSearching = list.isPlaceholderData || typed.trim() !== q;
  // Meanwhile the loaded products are filtered: a product that the search will not find must not be chosen.
  const products = (list.data?.pages[0]?.data ?? [])
    .filter(({ _id, name: words }) => _id !== except && contains(words, typed.trim()))
    .slice(0, PRODUCTS_SHOWN);
  const isLoading = list.isPending || (isSearching && products.length === 0);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-semibold">To which product</legend>
      <SearchField
        label="Search products"
        maxLength={MAX_SEARCH_LENGTH}
        value={typed}
        onChange={(words) => {
          setTyped(words);
          // A product that the search no longer shows must not stay chosen.
          onChoose(undefined);
        }}
      />
      {isLoading && <Skeleton className="h-24" />}
      {list.isError && <LoadFailureBanner message={messageOf(list.error, 'The products did not load')} query={list} />}
      <p role="status" className={products.length === 0 ? 'text-sm text-muted empty:hidden' : 'sr-only'}>
        {list.data !== undefined &&
          !isLoading &&
          (products.length === 0
            ? 'No products found'
            : `${products.length} ${plural(products.length, 'product')} shown`)}
      </p>
      {products.map(({ _id, name: words, isActive }) => (
        <Choice key={_id} name={name} checked={chosen === _id} onChoose={() => onChoose(_id)}>
          {words}
          {!isActive && ' (inactive)'}
        </Choice>
      ))}
      <FormProblem>{error}</FormProblem>
    </fieldset>
  );
}
