import { AppError } from '../../../shared/errors.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Client } from '../../platform/http/client.ts';
import { listSoldItems, recordReveals } from '../inventory/inventory.queries.ts';
import { readItem } from '../inventory/read-item.ts';
import { findOrder, listOrderLines, listRefundedUnits, lockOrder } from './orders.queries.ts';

export interface RevealItems {
  orderId: string;
  userId: string;
  client: Client;
}

/**
 * Opens the secrets of an order for its buyer and enters each in the ledger, in one transaction: nothing is sent that
 * is not on record. Someone else's order is answered like a missing one; one that is not paid for has no content.
 */
export async function revealItems(
  deps: Deps,
  { orderId, userId, client }: RevealItems,
): Promise<DeliveredItems> {
  await deps.limits.count('reveal', { user: userId });
  const found = await findOrder(deps.db, orderId);
  if (found?.user_id !== userId) throw new AppError('NOT_FOUND', 'Order not found');
  return revealOrder(deps, { orderId, userId, client });
}

/** The same, for a caller who has made sure that this may be seen; without a user where a mailed code opened the order. */
export function revealOrder(
  deps: Deps,
  { orderId, userId, client }: { orderId: string; userId: string | null; client: Client },
): Promise<DeliveredItems> {
  return deps.db.transaction().execute(async (trx) => {
    // Locked, so that a refund either comes first and nothing is shown, or knows that this was seen.
    const order = await lockOrder(trx, orderId);
    const lines = await listOrderLines(trx, [orderId]);
    const isGivenBack = order.state === 'refunding' || order.state === 'refunded';
    const refundedUnits = await listRefundedUnits(trx, orderId);
    const items = order.state === 'fulfilled' ? await listSoldItems(trx, orderId) : [];
    const opened = await Promise.all(
      items.map(async (item) => ({ item, content: await readItem(deps, item) })),
    );
    const at = deps.clock.now();
    await recordReveals(
      trx,
      opened
        .filter(({ content }) => content !== null)
        .map(({ item }) => ({
          item_id: item.id,
          order_id: orderId,
          user_id: userId,
          ip: client.ip,
          user_agent: client.userAgent,
          at,
        })),
    );
    return {
      orderId,
      orderDate: order.created_at.toISOString(),
      items: lines.map((line) => ({
        productName: line.name,
        image: line.image,
        category: line.category,
        productType: order.type,
        quantity: line.quantity,
        returnedQuantity: isGivenBack ? line.quantity : (refundedUnits.get(line.id) ?? 0),
        deliveryInstructions: line.delivery_instructions,
        warranty: line.warranty_days,
        items: opened
          .filter(({ item }) => item.order_line_id === line.id)
          .map(({ item, content }) => ({
            id: item.id,
            content,
            viewed: item.first_viewed_at !== null,
            deliveredAt: (item.delivered_at ?? order.created_at).toISOString(),
          })),
      })),
    };
  });
}
