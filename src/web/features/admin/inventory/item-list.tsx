import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { InventoryItem, ItemState } from '../../../../shared/inventory.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { LoadMore } from '../searched-list.tsx';
import { ItemRow } from './item-row.tsx';
import { stateNames } from './item-states.ts';
import { RevealDialog } from './reveal-dialog.tsx';
import { useInventory } from './use-inventory.ts';
import { VoidDialog } from './void-dialog.tsx';

type Action = 'void' | 'reveal';

/** Every item of a product, masked, with what can be done to it. */
export function ItemList({ productId }: { productId: string }) {
  const [state, setState] = useState<ItemState>();
  const [chosen, setChosen] = useState<{ item: InventoryItem; action: Action }>();
  const list = useInventory(productId, state);
  const items = list.data?.pages.flatMap(({ data }) => data.items);
  const close = () => setChosen(undefined);
  const dialogOf = (action: Action) => ({
    productId,
    item: chosen?.action === action ? chosen.item : undefined,
    onClose: close,
  });

  return (
    <div className="grid gap-4">
      <Select
        label="Show"
        value={state ?? ''}
        onChange={({ target }) => setState((target.value || undefined) as ItemState | undefined)}
      >
        <option value="">All items</option>
        {Object.entries(stateNames).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      {list.isError && <FormProblem>{messageOf(list.error, 'The items could not be loaded')}</FormProblem>}
      {list.isPending && <Skeleton className="h-40" />}
      {items?.length === 0 && (
        <EmptyState heading="h3" icon={KeyRound} title={state ? 'No such items' : 'No items yet'} />
      )}
      {items !== undefined && items.length > 0 && (
        <ol aria-label="Items" className="grid gap-3">
          {items.map((item) => (
            <ItemRow
              key={item._id}
              item={item}
              onReveal={() => setChosen({ item, action: 'reveal' })}
              onVoid={() => setChosen({ item, action: 'void' })}
            />
          ))}
        </ol>
      )}
      <LoadMore
        label="Show more"
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        onLoad={() => void list.fetchNextPage()}
      />
      <VoidDialog {...dialogOf('void')} />
      <RevealDialog {...dialogOf('reveal')} />
    </div>
  );
}
