import { AppError } from '../../../shared/errors.ts';
import { orderNumber } from '../../../shared/order-words.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { noteRaisedStock } from '../notices/notices.queries.ts';
import { openItem } from './read-item.ts';
import { lockItem, putOnSale, undoVoidOf } from './restore.queries.ts';
import { findStockedName, getStockItem, type StockItem } from './stock.queries.ts';

interface Undo {
  /** Id of the product. */
  id: string;
  itemId: string;
  actor: Actor;
}

/** Undoes the voiding of an item. Throws NOT_FOUND, ITEM_NOT_AVAILABLE. */
export function undoVoid(deps: Deps, input: Undo): Promise<void> {
  return changeItem(deps, input, async (trx, item, { product_name: name }) => {
    if (item.state !== 'voided') throw notWithdrawn();
    // An item that came back from a buyer becomes `quarantined`, not `available`, even if it was read.
    if (item.order_line_id === null) assertSellable(item);
    await undoVoidOf(trx, item.id, deps.clock.now());
    await noteRaisedStock(trx, item.product_id);
    return { action: 'item.void-undone', summary: `Undid the voiding of an item of "${name}"` };
  });
}

/** Puts a withdrawn, unread item on sale again. Throws NOT_FOUND, ITEM_NOT_AVAILABLE. */
export function restoreItem(deps: Deps, input: Undo & { reason: string }): Promise<void> {
  return changeItem(deps, input, async (trx, item, { product_name: name, order_id: orderId }) => {
    if (!isWithdrawn(item)) throw notWithdrawn();
    await sellAs(deps, trx, item, item.product_id);
    const summary = `Put an item of "${name}"${givenBackWith(orderId)} on sale again: ${input.reason}`;
    return { action: 'item.restored', summary };
  });
}

/**
 * Puts an unsold, unread item on sale as an item of another product. Throws NOT_FOUND, and ITEM_NOT_AVAILABLE when it
 * is held, sold or must not be sold again.
 */
export async function moveItem(deps: Deps, input: Undo & { product: string; reason: string }): Promise<void> {
  const { id, product, reason } = input;
  const target = await findStockedName(deps.db, product);
  if (target === undefined || product === id) throw new AppError('NOT_FOUND', 'Product not found', 'product');
  await changeItem(deps, input, async (trx, item, { product_name: name, order_id: orderId }) => {
    if (item.state !== 'available' && !isWithdrawn(item)) {
      throw refused('This item is on hold or sold, and stays as it is');
    }
    await sellAs(deps, trx, item, product);
    const summary = `Moved an item of "${name}"${givenBackWith(orderId)} to "${target}": ${reason}`;
    return { action: 'item.moved', summary };
  });
}

const isWithdrawn = ({ state }: ItemRow) => state === 'quarantined' || state === 'voided';

const refused = (message: string) => new AppError('ITEM_NOT_AVAILABLE', message);
const notWithdrawn = () => refused('This item is not withdrawn, so it was not changed');

const givenBackWith = (orderId: string | null) => (orderId ? `, given back with order #${orderNumber(orderId)},` : '');

/** Changes one item under its lock, and writes the audit entry that `change` returns. */
async function changeItem(
  deps: Deps,
  { id, itemId, actor }: Undo,
  change: (trx: Transaction, item: LockedItem, found: StockItem) => Promise<{ action: string; summary: string }>,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const found = await getStockItem(trx, id, itemId);
    if (found.delivery !== 'unique') throw refused('This item was made for its buyer, and is never sold to another');
    const item = await lockItem(trx, itemId);
    // Another administrator may have moved it meanwhile.
    if (item.product_id !== id) throw notWithdrawn();
    const entry = await change(trx, item, found);
    await writeAudit(deps, trx, { actor, ...entry, subject: { type: 'item', id: itemId } });
  });
}

type LockedItem = Awaited<ReturnType<typeof lockItem>>;

function assertSellable(item: LockedItem): void {
  if (item.set_aside_at !== null) {
    throw refused('The restore of a backup has set this item aside. Release it with npm run restore:release.');
  }
  if (item.is_owed) throw refused('The refund of its order is not done, so this item cannot be sold again yet');
  if (!item.was_read) return;
  const what = item.was_reported ? 'Its buyer has reported' : 'Somebody has read';
  throw refused(`${what} this item, so it is never sold again`);
}

async function sellAs(deps: Deps, trx: Transaction, item: LockedItem, productId: string): Promise<void> {
  assertSellable(item);
  const content = await openItem(deps, item);
  const { keyId: key_id, ...sealed } = deps.cipher.encrypt({ itemId: item.id, productId, content });
  await putOnSale(trx, { productId, items: [{ id: item.id, key_id, ...sealed }], now: deps.clock.now() });
  await noteRaisedStock(trx, productId);
}
