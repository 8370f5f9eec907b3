import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { replaceByItem } from '../delivery/delivery.queries.ts';
import { newItem, replaceByCopy } from '../delivery/make-items.ts';
import { endReportsOfReplaced, replaceSoldItem } from '../inventory/inventory.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { listItemsOfOrder } from './admin-orders.queries.ts';
import { isUnderWarranty } from './order-status.ts';
import { listOrderLines, lockOrderAsAdmin } from './orders.queries.ts';
import { assertNotFrozen } from './unfreeze-order.ts';

interface Replacement {
  itemId: string;
  reason: string;
  /** The new item, for units that a person delivers. */
  content?: string | undefined;
}

/**
 * Delivers another item for a faulty one under warranty, and marks the faulty item as `burnt`. The new item is from
 * stock, a new copy, or `content` if a person delivers the product. Throws NOT_FOUND, OUT_OF_STOCK, VALIDATION_FAILED,
 * ITEM_FROZEN, and ITEM_NOT_AVAILABLE for an item that is not the buyer's or no longer under warranty.
 */
export async function replaceItem(
  deps: Deps,
  { orderId, itemId, reason, content, actor }: Replacement & { orderId: string; actor: Actor },
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    await replaceLocked(deps, trx, order, { itemId, reason, content, actor, warrantyAt: deps.clock.now() });
  });
}

/**
 * Replaces an item of an order that the caller has locked. The item must have been under warranty at `warrantyAt`. The
 * audit entry must be the last statement of the transaction, so the caller must do nothing more in it.
 */
export async function replaceLocked(
  deps: Deps,
  trx: Transaction,
  order: OrderRow,
  { itemId, reason, content, actor, warrantyAt }: Replacement & { actor: Actor; warrantyAt: Date },
): Promise<void> {
  await assertNotFrozen(trx, order.id);
  const now = deps.clock.now();
  const item = (await listItemsOfOrder(trx, order.id)).find(({ id }) => id === itemId);
  const line = (await listOrderLines(trx, order.id)).find(({ id }) => id === item?.order_line_id);
  if (!item || !line || !isUnderWarranty(order, line, item, warrantyAt)) {
    throw new AppError('ITEM_NOT_AVAILABLE', 'Only a delivered item under warranty can be replaced');
  }
  if (line.delivery === 'shared' || line.delivery === 'file') {
    await replaceByCopy(deps, trx, { faulty: item, delivery: line.delivery, now });
  } else if (line.delivery === 'manual') {
    const message = 'This is delivered by hand: please enter what is delivered instead, on the page of the order';
    if (!content) throw new AppError('VALIDATION_FAILED', message, 'content');
    const { id: lineId, product_id: productId } = line;
    await replaceByItem(trx, item.id, newItem(deps, { productId, lineId, unit: item.unit ?? 1, content, now }));
  } else if (!(await replaceSoldItem(trx, item.id, now))) {
    throw new AppError('OUT_OF_STOCK', `There is no “${line.name}” in stock to replace it with`);
  }
  await endReportsOfReplaced(trx, item.id, now);
  await enqueueOrderMail(deps, trx, 'item-replaced', order);
  const summary = `Replaced a faulty item of “${line.name}”: ${reason}`;
  await writeOrderAudit(deps, trx, { actor, orderId: order.id, action: 'order.item-replaced', summary });
}
