import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { lockPhysicalProduct, savePhysicalProduct } from './physical-goods.queries.ts';

/** Marks a product inactive; past orders keep it. Throws NOT_FOUND. One that is inactive already stays as it is. */
export function deletePhysicalProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { actor, id }: { actor: Actor; id: string },
): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    const row = await lockPhysicalProduct(trx, id);
    if (!row) throw new AppError('NOT_FOUND', 'Product not found');
    if (!row.is_active) return;
    await savePhysicalProduct(trx, id, { is_active: false });
    await writeAudit(deps, trx, {
      actor,
      action: 'physical-product.deleted',
      subject: { type: 'physical-product', id },
      summary: `Deleted "${row.name}", which is inactive now`,
    });
  });
}
