import { orNotFound } from '../../../shared/errors.ts';
import type { InventoryItem } from '../../../shared/inventory.ts';
import type { Deps } from '../../deps.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { AdminActor, Route } from '../../platform/http/route.ts';
import { addInventory } from './add-inventory.ts';
import { maskItem, moveItem, restoreItem, revealItemToAdmin, searchKey, undoVoid, voidItem } from './item-actions.ts';
import { maskTyped } from './mask-secrets.ts';
import { countStock, findProductName, getStockItem, listStockItems, type StockItem } from './stock.queries.ts';

export function inventoryRoutes(route: Route, deps: Deps): void {
  route('POST /digital-products/:id/inventory', async ({ params, body, actor }) => {
    const restoreReason = body.restoreReason && (await maskTyped(deps, actor, body.restoreReason));
    const report = await addInventory(deps, { productId: params.id, ...body, restoreReason, actor });
    return { data: { report, stats: await countStock(deps.db, params.id) } };
  });

  route('GET /digital-products/:id/inventory', async ({ params, query }) => {
    orNotFound(await findProductName(deps.db, params.id), 'Product not found');
    const { rows, nextCursor } = await listStockItems(deps.db, params.id, query);
    const items = await Promise.all(rows.map((row) => presentItem(deps, row)));
    return { data: { stats: await countStock(deps.db, params.id), items }, nextCursor };
  });

  route('POST /admin/inventory/search', async ({ body, actor }) => {
    const found = await searchKey(deps, { ...body, actor });
    if (!found) return { data: { item: null } };
    const product = { _id: found.product_id, name: found.product_name };
    return { data: { item: { ...(await presentItem(deps, found)), product } } };
  });

  /** The input of a change. The audit log keeps the reason for ever, so it is masked. */
  async function inputOf<B extends { reason: string }>({ params, body, actor }: ItemChange<B>) {
    const item = await getStockItem(deps.db, params.id, params.itemId);
    return { ...params, ...body, actor, reason: await maskTyped(deps, actor, body.reason, [item]) };
  }

  route('POST /digital-products/:id/inventory/:itemId/void', async (call) => voidItem(deps, await inputOf(call)));

  route('POST /digital-products/:id/inventory/:itemId/undo-void', ({ params, actor }) =>
    undoVoid(deps, { ...params, actor }),
  );

  route('POST /digital-products/:id/inventory/:itemId/restore', async (call) => restoreItem(deps, await inputOf(call)));

  route('POST /digital-products/:id/inventory/:itemId/move', async (call) => moveItem(deps, await inputOf(call)));

  route('POST /digital-products/:id/inventory/:itemId/reveal', async (call) => {
    const input = { ...(await inputOf(call)), client: clientOf(call.request) };
    return { data: { content: await revealItemToAdmin(deps, input) } };
  });
}

type ItemChange<Body> = { params: { id: string; itemId: string }; body: Body; actor: AdminActor };

/** An item of a list. Its secret is decrypted only to be masked. */
const presentItem = async (deps: Deps, item: StockItem): Promise<InventoryItem> => ({
  _id: item.id,
  masked: await maskItem(deps, item),
  state: item.state,
  addedAt: item.added_at.toISOString(),
  deliveredAt: item.delivered_at?.toISOString() ?? null,
  viewed: item.first_viewed_at !== null,
  wasRead: item.was_read,
  wasReported: item.was_reported,
  isSetAside: item.set_aside_at !== null && item.state !== 'sold',
  order: item.order_id,
  voidReason: item.void_reason,
});
