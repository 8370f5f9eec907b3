import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatCount } from '../../../../shared/format.ts';
import type { InventoryItem, ItemState } from '../../../../shared/inventory.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Callout, EmptyState, Skeleton } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { Form, FormProblem } from '../../../ui/form-page.tsx';
import { LoadFailureBanner, LoadMore } from '../../../ui/loading.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useAction, useRequiredText, useSeenVersion } from '../action-dialog.tsx';
import { listState } from '../admin-list.tsx';
import { useAdminData, useAdminPages } from '../dashboard.ts';
import { RevealDialog } from '../fresh-code-form.tsx';
import { InventoryUpload } from './inventory-upload.tsx';
import { MoveDialog, RestoreDialog, RevealItemDialog, VoidDialog } from './item-dialogs.tsx';
import { type ItemAction, ItemField, itemStates, StockItemRow } from './item-row.tsx';

/** The stock of a product: its items or its shared content, and what was delivered. */
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
        {Object.entries(stockCounts(product, stats)).map(([name, n]) => (
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

/** Returns the formatted numbers of a product's stock by their labels. */
export function stockCounts(
  { delivery, unitsLeft }: AdminDigitalProduct,
  { total, available, sold }: AdminDigitalProduct['inventoryStats'],
): Record<string, string> {
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

/** The masked items of a product, with buttons for the actions that each of them allows. */
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
      <FormProblem>{list.error && messageOf(list.error, 'The items could not be loaded')}</FormProblem>
      {list.isLoading && <Skeleton className="h-40" />}
      {list.lastPage && list.entries.length === 0 && (
        <EmptyState heading="h3" icon={KeyRound} title={state ? 'No such items' : 'No items yet'} />
      )}
      <ol aria-label="Items" className="grid gap-3 empty:hidden">
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
      <LoadMore list={list} of="items" label="Show more" />
      <VoidDialog {...dialogProps('void')} />
      <RestoreDialog {...dialogProps('restore')} />
      <MoveDialog {...dialogProps('move')} />
      <RevealItemDialog {...dialogProps('reveal')} />
    </div>
  );
}

/** Sets the text or link that every buyer of a shared product gets. Reading it requires a fresh two-factor code. */
export function SharedContentForm({ productId: id, onDone }: { productId: string; onDone?(): void }) {
  const content = useRequiredText('Please enter the content');
  const [isRevealing, setIsRevealing] = useState(false);
  const current = useAdminData(['content', id], () => call('GET /digital-products/:id/content', { params: { id } }));
  const { version, onFailure, saved } = useSeenVersion(current.data === null ? 0 : current.data?.version);
  const { run, ...form } = useAction({
    check: content.check,
    send: () => call('PUT /digital-products/:id/content', { params: { id }, body: { content: content.text, version } }),
    successMessage: 'The content is saved',
    errorMessage: 'The content could not be saved',
    onFailure,
    onDone: () => {
      content.clear();
      saved();
      onDone?.();
    },
  });
  return (
    <div className="grid gap-4">
      {current.isPending ? (
        <Skeleton className="h-12" />
      ) : current.isLoadingError ? (
        <LoadFailureBanner message="Failed to load the content" query={current} />
      ) : current.data ? (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sunken px-4 py-3">
          <p>
            Version {current.data.version}, since <Moment at={current.data.updatedAt} />
          </p>
          <Button variant="secondary" size="sm" onClick={() => setIsRevealing(true)}>
            Reveal
          </Button>
        </div>
      ) : (
        <Callout tone="warning">There is no content yet, so the product is out of stock.</Callout>
      )}
      {/* Without the version that is replaced, the change of another administrator could be overwritten. */}
      {version !== undefined && (
        <Form {...form} action="Save content" onSubmit={run} focused isFilled={!content.isMissing}>
          <ItemField
            {...content.field}
            label={current.data ? 'New content' : 'Content'}
            rows={5}
            hint="A text or a link that every buyer gets. Earlier buyers keep what they have."
          />
        </Form>
      )}
      <RevealDialog
        title="Reveal content"
        isOpen={isRevealing}
        purpose="Reading the content"
        about={id}
        send={(body) => call('POST /digital-products/:id/content/reveal', { params: { id }, body })}
        errorMessage="Failed to reveal the content"
        reasonHint="Stored as you write it. Do not include the content itself."
        onClose={() => setIsRevealing(false)}>
        The content
      </RevealDialog>
    </div>
  );
}
