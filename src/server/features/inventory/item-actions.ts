import { AppError } from '../../../shared/errors.ts';
import { orderNumber } from '../../../shared/format.ts';
import { maskContent } from '../../../shared/item-text.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import type { Actor, Client } from '../../platform/http/client.ts';
import type { AdminActor } from '../../platform/http/route.ts';
import { decryptUnlessAltered } from '../admin/alerts.queries.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { noteRaisedStock } from '../notices/notices.queries.ts';
import { withFreshCode } from '../two-factor/two-factor.ts';
import {
  insertReveals,
  lockItem,
  lockStockedProducts,
  markVoided,
  putOnSale,
  undoVoidOf,
} from './inventory.queries.ts';
import {
  assertNotDeleted,
  findStockedName,
  getStockItem,
  listItemsByFingerprint,
  type StockItem,
} from './stock.queries.ts';

/** `id` is that of the product. */
type ItemAction = { id: string; itemId: string; actor: Actor };
type WithReason = ItemAction & { reason: string };

/** Voids an unsold item. Throws NOT_FOUND, and ITEM_NOT_AVAILABLE when it is held, sold or voided. */
export function voidItem(deps: Deps, input: WithReason): Promise<void> {
  return changeItem(deps, input, async (trx, { id, state }, { product_name: name }) => {
    if (state !== 'available' && state !== 'quarantined') {
      throw refused('This item is on hold, sold or already withdrawn, so it was not changed');
    }
    await markVoided(trx, id, input.reason);
    return { action: 'item.voided', summary: `Took an unsold item of "${name}" out of the stock: ${input.reason}` };
  });
}

type RevealItem = WithReason & { actor: AdminActor; code: string; client: Client };

/**
 * Decrypts an item for an administrator with a fresh two-factor code and a reason. Writes a reveal and an audit entry.
 * The item does not count as seen by its buyer. Throws NOT_FOUND, TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function revealItemToAdmin(deps: Deps, input: RevealItem): Promise<string> {
  const { id, itemId, reason, actor, client } = input;
  // Checked first, so that no code is used up for a missing item.
  await getStockItem(deps.db, id, itemId);
  return withFreshCode(deps, input, async (trx) => {
    // The item may have been returned, restored or moved meanwhile. The reveal must name its current order.
    await lockItem(trx, itemId);
    const item = await getStockItem(trx, id, itemId);
    const content = await decryptItem(deps, item);
    // An order that only holds the item is not named, because it may never be paid.
    const order_id = item.state === 'held' || item.state === 'allocated' ? null : item.order_id;
    const by = { user_id: actor.userId, ip: client.ip, user_agent: client.userAgent };
    await insertReveals(trx, [{ item_id: itemId, order_id, ...by, reason, at: deps.clock.now() }]);
    const summary = `Read an item of "${item.product_name}": ${reason}`;
    await writeAudit(deps, trx, { actor, action: 'item.revealed', subject: { type: 'item', id: itemId }, summary });
    return content;
  });
}

/**
 * Finds the item of any product with exactly this secret, by its fingerprint. The audit log records the search and the
 * item found, but nothing of the secret. Throws RATE_LIMITED.
 */
export async function searchKey(
  deps: Deps,
  { content, actor }: { content: string; actor: AdminActor },
): Promise<StockItem | undefined> {
  await deps.limits.count('key-search', { user: actor.userId });
  return deps.db.transaction().execute(async (trx) => {
    const [found] = await listItemsByFingerprint(trx, [deps.cipher.fingerprint(content)]);
    const outcome = found ? `it is an item of "${found.product_name}"` : 'the shop does not have it';
    await writeAudit(deps, trx, {
      actor,
      action: 'inventory.searched',
      subject: { type: 'item', id: found?.id ?? '' },
      summary: `Searched the stock for a key: ${outcome}`,
    });
    return found;
  });
}

/** Undoes the voiding of an item. Throws NOT_FOUND, ITEM_NOT_AVAILABLE. */
export function undoVoid(deps: Deps, input: ItemAction): Promise<void> {
  return changeItem(deps, input, async (trx, item, { product_name: name }) => {
    if (item.state !== 'voided') throw notWithdrawn();
    // An item that came back from a buyer becomes `quarantined`, not `available`, even if it was read.
    if (item.order_line_id === null) assertSellable(item);
    await undoVoidOf(trx, item.id, deps.clock.now());
    await noteRaisedStock(trx, item.product_id);
    return { action: 'item.void-undone', summary: `Undid the voiding of an item of "${name}"` };
  });
}

/** Puts a withdrawn, unread item on sale again. Throws NOT_FOUND, and ITEM_NOT_AVAILABLE also if its product is deleted. */
export function restoreItem(deps: Deps, input: WithReason): Promise<void> {
  return changeItem(deps, input, async (trx, item, { product_name: name, order_id: orderId }) => {
    if (!isWithdrawn(item)) throw notWithdrawn();
    await sellAs(deps, trx, item, item.product_id);
    const summary = `Put an item of "${name}"${givenBackWith(orderId)} on sale again: ${input.reason}`;
    return { action: 'item.restored', summary };
  });
}

/**
 * Puts an unsold, unread item on sale as an item of another product. Throws NOT_FOUND, and ITEM_NOT_AVAILABLE when it
 * is held, sold or must not be sold again, or the other product is deleted.
 */
export async function moveItem(deps: Deps, input: WithReason & { product: string }): Promise<void> {
  const { id, product, reason } = input;
  const target = await findStockedName(deps.db, product);
  if (target === undefined || product === id) throw new AppError('NOT_FOUND', 'Product not found', 'product');
  const move = { ...input, productIds: [id, product] };
  await changeItem(deps, move, async (trx, item, { product_name: name, order_id: orderId }) => {
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

function assertFromStock({ delivery }: StockItem): void {
  if (delivery !== 'unique') throw refused('This item was made for its buyer, and is never sold to another');
}

const givenBackWith = (orderId: string | null) => (orderId ? `, given back with order #${orderNumber(orderId)},` : '');

/** Changes one item under its lock and that of its products, and writes the audit entry that `change` returns. */
async function changeItem(
  deps: Deps,
  { id, itemId, actor, productIds = [id] }: ItemAction & { productIds?: string[] },
  change: (trx: Transaction, item: LockedItem, found: StockItem) => Promise<{ action: string; summary: string }>,
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const found = await getStockItem(trx, id, itemId);
    assertFromStock(found);
    await lockStockedProducts(trx, { productIds });
    const item = await lockItem(trx, itemId);
    if (item.product_id !== id) {
      throw refused('This item was moved to another product meanwhile, so it was not changed');
    }
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
  await assertNotDeleted(trx, productId);
  const content = await decryptItem(deps, item);
  const sealed = toColumns(deps.cipher.encrypt({ itemId: item.id, productId, content }));
  await putOnSale(trx, { productId, items: [{ id: item.id, ...sealed }], now: deps.clock.now() });
  await noteRaisedStock(trx, productId);
}

export const readItem = (deps: Deps, item: ItemRow): Promise<string | null> =>
  decryptUnlessAltered(deps, { subject: item.id, message: 'an item in the database was altered' }, () =>
    decryptItem(deps, item),
  );

/** Returns the decrypted secret of an item. Throws when its row was altered. */
export const decryptItem = ({ cipher }: Pick<Deps, 'cipher'>, item: ItemRow): Promise<string> =>
  cipher.decrypt({ itemId: item.id, productId: item.product_id, ...fromColumns(item) });

export async function maskItem(deps: Deps, item: ItemRow): Promise<string> {
  const content = await readItem(deps, item);
  return content === null ? 'Cannot be read' : maskContent(content);
}
