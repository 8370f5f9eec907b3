import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { findStockItem, voidUnsoldItem } from './stock.queries.ts';

export interface VoidItem {
  productId: string;
  itemId: string;
  reason: string;
  actor: Actor;
}

/** Takes an unsold item out of the stock for good. Throws NOT_FOUND, and ITEM_NOT_AVAILABLE when a buyer was quicker. */
export async function voidItem(deps: Deps, { productId, itemId, reason, actor }: VoidItem): Promise<void> {
  const found = await findStockItem(deps.db, { productId, itemId });
  if (!found) throw new AppError('NOT_FOUND', 'Item not found');
  await deps.db.transaction().execute(async (trx) => {
    if (!(await voidUnsoldItem(trx, { itemId, reason }))) {
      throw new AppError(
        'ITEM_NOT_AVAILABLE',
        'This item is on hold, sold or withdrawn already, and stays as it is',
      );
    }
    await writeAudit(deps, trx, {
      actor,
      action: 'item.voided',
      subject: { type: 'item', id: itemId },
      summary: `Took an unsold item of "${found.product_name}" out of the stock: ${reason}`,
    });
  });
}
