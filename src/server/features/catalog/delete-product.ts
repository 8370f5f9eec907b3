import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { withdrawUnsoldItems } from '../inventory/inventory.queries.ts';
import { saveProduct } from './admin-catalog.queries.ts';
import { lockProduct } from './lock-product.ts';

/**
 * Takes a product off sale and withdraws its unsold items. What was sold stays with its buyers, and what is being paid
 * for is still delivered. Throws NOT_FOUND.
 */
export function deleteProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { actor, id }: { actor: Actor; id: string },
): Promise<void> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const { name } = await lockProduct(trx, id);
    await saveProduct(trx, id, { is_active: false, deleted_at: now });
    await withdrawUnsoldItems(trx, id, now);
    await writeAudit(deps, trx, {
      actor,
      action: 'product.deleted',
      subject: { type: 'product', id },
      summary: `Deleted "${name}"`,
    });
  });
}
