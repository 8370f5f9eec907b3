import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { replaceSoldItem } from '../inventory/inventory.queries.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { listOrderLines } from '../orders/orders.queries.ts';
import { lockDeskOrder } from './lock-desk-order.ts';
import { listItemsOfOrder } from './order-page.queries.ts';
import { isUnderWarranty } from './order-rules.ts';

export interface ReplaceItem {
  orderId: string;
  itemId: string;
  reason: string;
  actor: Actor;
}

/**
 * Delivers another item in the place of a faulty one, which is burnt, while its warranty runs. Throws NOT_FOUND,
 * ITEM_NOT_AVAILABLE for an item that is not the buyer's or no longer under warranty, OUT_OF_STOCK.
 */
export async function replaceItem(
  deps: Deps,
  { orderId, itemId, reason, actor }: ReplaceItem,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockDeskOrder(trx, orderId, actor);
    const item = (await listItemsOfOrder(trx, orderId)).find(({ id }) => id === itemId);
    const line = (await listOrderLines(trx, [orderId])).find(({ id }) => id === item?.order_line_id);
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
