import type { DeliveredItems } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { ItemRow, OrderLineRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { readAnswers } from '../delivery/buyer-answers.ts';
import { waitingNumbers } from '../delivery/delivery.queries.ts';
import { readDownloads } from '../files/files.queries.ts';
import { listSoldItems, recordReveals } from '../inventory/inventory.queries.ts';
import { readItem } from '../inventory/item-actions.ts';
import { assertItemsOpen, isWholeOrderRefunded, orderStatusOf, refundStatusOf, warrantyEnd } from './order-status.ts';
import { lockOrder, readFullOrder } from './orders.queries.ts';
import { assertOwnOrder } from './own-orders.queries.ts';
import { presentRefund } from './present-order.ts';
import { refundedUnitsOf } from './refunds.queries.ts';
import { findRefusal } from './unfreeze-order.ts';

interface Reveal {
  orderId: string;
  userId: string | null;
  client: Client;
}

/**
 * Decrypts the items of an order for its buyer and records each reveal in the same transaction, so that no secret is
 * sent without a record. Throws NOT_FOUND also for another buyer's order, RATE_LIMITED and ITEM_NOT_AVAILABLE. An
 * unpaid order has no content.
 */
export async function revealItems(deps: Deps, input: Reveal & { userId: string }): Promise<DeliveredItems> {
  const { orderId, userId } = input;
  await deps.limits.count('reveal', { user: userId });
  await assertOwnOrder(deps.db, orderId, userId);
  return revealOrder(deps, input);
}

/** Does the same after the caller has checked access. `userId` is null when a mailed code opened the order. */
export function revealOrder(deps: Deps, { orderId, userId, client }: Reveal): Promise<DeliveredItems> {
  return deps.db.transaction().execute(async (trx) => {
    // With the lock, a concurrent refund or freeze either commits first, and nothing is shown, or sees that the items
    // were seen.
    const order = await readFullOrder(trx, await lockOrder(trx, orderId));
    const { lines, refunds } = order;
    const at = deps.clock.now();
    assertItemsOpen(order, at);
    const digital = lines.filter(({ kind }) => kind === 'digital');
    const refundedUnits = refundedUnitsOf(refunds);
    const items = order.state === 'fulfilled' ? await listSoldItems(trx, orderId) : [];
    // A file counts as seen when its download is granted, not here.
    const fileLines = new Set(digital.filter(({ delivery }) => delivery === 'file').map(({ id }) => id));
    const files = fileLines.size > 0 ? await readDownloads(trx, orderId) : new Map<string, never>();
    const refusal = order.state === 'fulfilled' ? await findRefusal(trx, orderId) : null;
    const refusalOf = (item: ItemRow) => (item.first_viewed_at === null ? refusal : null);
    const read = async (item: ItemRow) =>
      fileLines.has(item.order_line_id ?? '') || refusalOf(item) ? null : readItem(deps, item);
    const opened = await Promise.all(items.map(async (item) => ({ item, content: await read(item) })));
    const answers = await readAnswers(deps, trx, orderId);
    const seen = opened.filter(({ content }) => content !== null);
    const by = { order_id: orderId, user_id: userId, ip: client.ip, user_agent: client.userAgent, at };
    await recordReveals(
      trx,
      seen.map(({ item }) => ({ item_id: item.id, ...by })),
    );
    return {
      orderId,
      orderDate: order.created_at.toISOString(),
      status: orderStatusOf(order),
      refundStatus: refundStatusOf(order),
      refunds: refunds.map((refund) => presentRefund(refund, lines)),
      items: digital.map((line) => {
        const delivered = opened.filter(({ item }) => item.order_line_id === line.id);
        const returnedQuantity = isWholeOrderRefunded(order) ? line.quantity : (refundedUnits.get(line.id) ?? 0);
        return {
          line: line.id,
          productName: line.name,
          image: line.image,
          category: line.category,
          productType: line.kind,
          quantity: line.quantity,
          returnedQuantity,
          returnedNumbers: missingNumbers(line, delivered).slice(0, returnedQuantity),
          waitingNumbers: order.state === 'fulfilled' ? waitingOf(line, delivered) : [],
          answers: answers.get(line.id) ?? [],
          region: line.region,
          platform: line.platform,
          deliveryInstructions: line.delivery_instructions,
          warranty: line.warranty_days,
          items: delivered.map(({ item, content }) => ({
            id: item.id,
            number: item.unit ?? 1,
            isReplacement: item.is_replacement,
            content,
            file: files.get(item.id) ?? null,
            refusal: refusalOf(item),
            viewed: item.first_viewed_at !== null,
            deliveredAt: (item.delivered_at ?? order.created_at).toISOString(),
            warrantyUntil: warrantyOf(line, item)?.toISOString() ?? null,
          })),
        };
      }),
    };
  });
}

/** Lists the numbers of the units of a line that a person still has to deliver. */
function waitingOf(line: OrderLineRow, delivered: readonly { item: ItemRow }[]): number[] {
  if (line.delivery !== 'manual') return [];
  return waitingNumbers({ ...line, delivered: delivered.flatMap(({ item }) => item.unit ?? []) });
}

/** Lists the numbers of the units of a line that its buyer does not have (any more). */
function missingNumbers(line: OrderLineRow, delivered: readonly { item: ItemRow }[]): number[] {
  const there = new Set(delivered.map(({ item }) => item.unit));
  return Array.from({ length: line.quantity }, (_, index) => index + 1).filter((unit) => !there.has(unit));
}

const warrantyOf = ({ warranty_days: days }: OrderLineRow, { delivered_at: deliveredAt }: ItemRow): Date | null =>
  deliveredAt && days > 0 ? warrantyEnd(deliveredAt, days) : null;
