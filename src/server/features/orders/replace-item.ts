import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { replaceSoldItem } from '../inventory/inventory.queries.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { listItemsOfOrder } from './admin-orders.queries.ts';
import { isUnderWarranty } from './order-status.ts';
import { listOrderLines, lockOrderAsAdmin } from './orders.queries.ts';

/**
 * Delivers another item for a faulty one under warranty, which is burnt. Throws NOT_FOUND, OUT_OF_STOCK, and
 * ITEM_NOT_AVAILABLE for an item that is not the buyer's or no longer under warranty.
 */
export async function replaceItem(
  deps: Deps,
  { orderId, itemId, reason, actor }: { orderId: string; itemId: string; reason: string; actor: Actor },
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const item = (await listItemsOfOrder(trx, orderId)).find(({ id }) => id === itemId);
    const line = (await listOrderLines(trx, orderId)).find(({ id }) => id === item?.order_line_id);
    if (!item || !line || !isUnderWarranty(order, line, item, now)) {
      throw new AppError('ITEM_NOT_AVAILABLE', 'Only a delivered item under warranty can be replaced');
    }
    if (!(await replaceSoldItem(trx, { id: item.id, now }))) {
      throw new AppError('OUT_OF_STOCK', `There is no “${line.name}” in stock to replace it with`);
    }
    await enqueueMail(deps, trx, {
      kind: 'item-replaced',
      recipient: order.contact_email,
      orderId,
      userId: order.user_id,
    });
    await writeAudit(deps, trx, {
      actor,
      action: 'order.item-replaced',
      subject: { type: 'order', id: orderId },
      summary: `Replaced a faulty item of “${line.name}”: ${reason}`,
    });
  });
}
