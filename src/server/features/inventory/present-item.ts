import type { InventoryItem } from '../../../shared/inventory.ts';
import type { Deps } from '../../deps.ts';
import { maskItem } from './mask-item.ts';
import type { StockItem } from './stock.queries.ts';

/** An item as a list shows it: its secret is opened here only to be masked. */
export async function presentItem(
  deps: Pick<Deps, 'cipher' | 'clock' | 'db' | 'log'>,
  item: StockItem,
): Promise<InventoryItem> {
  return {
    _id: item.id,
    masked: await maskItem(deps, item),
    state: item.state,
    addedAt: item.added_at.toISOString(),
    deliveredAt: item.delivered_at?.toISOString() ?? null,
    viewed: item.first_viewed_at !== null,
    order: item.order_id,
    voidReason: item.void_reason,
  };
}
