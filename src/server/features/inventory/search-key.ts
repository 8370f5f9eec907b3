import type { Deps } from '../../deps.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { findItemByFingerprint, type StockItem } from './stock.queries.ts';

/**
 * Finds the item of any product with exactly this secret, by its fingerprint. The audit log records that somebody
 * searched and what was found, and nothing of the secret. Throws RATE_LIMITED.
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
