import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Actor, Client } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { withFreshCode } from '../authenticators/codes.ts';
import { insertReveals } from './inventory.queries.ts';
import { openItem } from './read-item.ts';
import { lockItem } from './restore.queries.ts';
import { findItemByFingerprint, getStockItem, type StockItem, voidUnsoldItem } from './stock.queries.ts';

type ItemAction = { id: string; itemId: string; reason: string; actor: Actor };

/** Voids an unsold item. Throws NOT_FOUND, and ITEM_NOT_AVAILABLE when it is held, sold or voided. */
export async function voidItem(deps: Deps, { id, itemId, reason, actor }: ItemAction): Promise<void> {
  const found = await getStockItem(deps.db, id, itemId);
  await deps.db.transaction().execute(async (trx) => {
    if (!(await voidUnsoldItem(trx, { productId: id, itemId, reason }))) {
      throw new AppError(
        'ITEM_NOT_AVAILABLE',
        'This item is on hold, sold or already withdrawn, so it was not changed',
      );
    }
    const summary = `Took an unsold item of "${found.product_name}" out of the stock: ${reason}`;
    await writeAudit(deps, trx, { actor, action: 'item.voided', subject: { type: 'item', id: itemId }, summary });
  });
}

interface RevealItem extends ItemAction {
  userId: string;
  sessionId: string;
  code: string;
  client: Client;
}

/**
 * Decrypts an item for an administrator with a fresh two-factor code and a reason. Writes a reveal and an audit entry.
 * The item does not count as seen by its buyer. Throws NOT_FOUND, TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function revealItem(deps: Deps, input: RevealItem): Promise<string> {
  const { id, itemId, userId, sessionId, code, reason, actor, client } = input;
  // Checked first, so that no code is used up for a missing item.
  await getStockItem(deps.db, id, itemId);
  return withFreshCode(deps, { userId, sessionId, code }, async (trx) => {
    // The item may have been returned, restored or moved meanwhile. The reveal must name its current order.
    await lockItem(trx, itemId);
    const item = await getStockItem(trx, id, itemId);
    const content = await openItem(deps, item);
    // An order that only holds the item is not named, because it may never be paid.
    const order_id = item.state === 'held' || item.state === 'allocated' ? null : item.order_id;
    const by = { user_id: userId, ip: client.ip, user_agent: client.userAgent };
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
  { content, userId, actor }: { content: string; userId: string; actor: Actor },
): Promise<StockItem | undefined> {
  await deps.limits.count('key-search', { user: userId });
  return deps.db.transaction().execute(async (trx) => {
    const found = await findItemByFingerprint(trx, deps.cipher.fingerprint(content));
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
