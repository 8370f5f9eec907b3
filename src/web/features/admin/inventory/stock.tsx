import { Ban, Eye, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { formatCount } from '../../../../shared/format.ts';
import type { InventoryItem, ItemState } from '../../../../shared/inventory.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../../ui/card.tsx';
import { Select } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { LoadMore, listState } from '../admin-list.tsx';
import { useAdminPages } from '../admin-queries.ts';
import { Moment } from '../figures.tsx';
import { InventoryUpload } from './inventory-upload.tsx';
import { RevealDialog, VoidDialog } from './item-dialogs.tsx';

export function Stock({ product }: { product: AdminDigitalProduct }) {
  const [view, setView] = useState<'add' | 'items'>('add');
  const productId = product._id;
  const { total, available, sold } = useInventory(productId).data?.pages[0]?.stats ?? product.inventoryStats;
  const showItems = () => setView('items');
  const upload = (
    <InventoryUpload productId={productId} emptyMessage="Please add at least one item" onDone={showItems} />
  );
  return (
    <>
      <p className="-mt-3 font-semibold wrap-anywhere text-muted">{product.name}</p>
      <dl className="grid grid-cols-3 gap-3 text-center">
        {Object.entries({ Total: total, Available: available, Sold: sold }).map(([name, n]) => (
          <div key={name} className="flex flex-col-reverse rounded-md bg-sunken px-2 py-2.5">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="tabular text-xl font-semibold">{formatCount(n)}</dd>
          </div>
        ))}
      </dl>
      <Tabs<'add' | 'items'>
        label="Inventory"
        value={view}
        onChange={setView}
        tabs={[
          { value: 'add', label: 'Add', keepMounted: true, content: upload },
          { value: 'items', label: 'Items', content: <ItemList productId={productId} /> },
        ]}
      />
    </>
  );
}

const states: Record<ItemState, { name: string; tone: Tone }> = {
  available: { name: 'Available', tone: 'success' },
  held: { name: 'On hold', tone: 'warning' },
  allocated: { name: 'Being paid', tone: 'warning' },
  sold: { name: 'Sold', tone: 'info' },
  quarantined: { name: 'Quarantined', tone: 'neutral' },
  burnt: { name: 'Burnt', tone: 'danger' },
  voided: { name: 'Voided', tone: 'neutral' },
};
const stateNames = Object.fromEntries(Object.entries(states).map(([state, { name }]) => [state, name]));

export const ItemStateBadge = ({ state }: { state: ItemState }) => (
  <Badge tone={states[state].tone}>{states[state].name}</Badge>
);

function useInventory(id: string, state?: ItemState) {
  return useAdminPages(['inventory', id, state], async (cursor) => {
    const query = { limit: 50, ...(state && { state }), ...(cursor !== null && { cursor }) };
    const { data, nextCursor } = await call('GET /digital-products/:id/inventory', { params: { id }, query });
    return { data: data.items, stats: data.stats, nextCursor };
  });
}

type Action = 'void' | 'reveal';

function ItemList({ productId }: { productId: string }) {
  const [state, setState] = useState<ItemState>();
  const [chosen, setChosen] = useState<{ item: InventoryItem; action: Action }>();
  const read = useInventory(productId, state);
  const list = listState(read);
  const dialogProps = (action: Action) => ({
    productId,
    item: chosen?.action === action ? chosen.item : undefined,
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
      <FormProblem>{read.error && messageOf(read.error, 'The items could not be loaded')}</FormProblem>
      {list.isLoading && <Skeleton className="h-40" />}
      {list.lastPage && list.entries.length === 0 && (
        <EmptyState heading="h3" icon={KeyRound} title={state ? 'No such items' : 'No items yet'} />
      )}
      <ol aria-label="Items" className="grid gap-3 empty:hidden">
        {list.entries.map((item) => (
          <ItemRow key={item._id} item={item} onChoose={(action) => setChosen({ item, action })} />
        ))}
      </ol>
      <LoadMore label="Show more" list={list} />
      <VoidDialog {...dialogProps('void')} />
      <RevealDialog {...dialogProps('reveal')} />
    </div>
  );
}

function ItemRow({ item, onChoose }: { item: InventoryItem; onChoose(action: Action): void }) {
  const { masked, state, addedAt, deliveredAt, viewed, order, voidReason } = item;
  const isUnsold = state === 'available' || state === 'quarantined';
  const button = (action: Action, label: string) => ({
    size: 'sm' as const,
    className: 'min-h-11',
    'aria-label': `${label} ${masked}`,
    children: label,
    onClick: () => onChoose(action),
  });
  return (
    <li className="grid gap-2 rounded-md border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <code className="min-w-0 flex-1 font-mono text-sm break-all">{masked}</code>
        <ItemStateBadge state={state} />
        {viewed && <Badge tone="info">Viewed</Badge>}
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-[1_1_14rem] text-sm text-muted wrap-anywhere">
          Added <Moment at={addedAt} />
          {deliveredAt !== null && (
            <>
              , delivered <Moment at={deliveredAt} />
            </>
          )}
          {order !== null && (
            <Link to={`/admin/orders/${order}`} className="block w-fit font-semibold text-accent-ink underline">
              Order #{orderNumber(order)}
            </Link>
          )}
          {voidReason !== null && <span className="block">{voidReason}</span>}
        </p>
        <div className="ml-auto flex gap-2">
          <Button {...button('reveal', 'Reveal')} icon={Eye} variant="secondary" />
          {isUnsold && <Button {...button('void', 'Void')} icon={Ban} variant="danger" />}
        </div>
      </div>
    </li>
  );
}
