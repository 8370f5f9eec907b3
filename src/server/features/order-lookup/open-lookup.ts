import { AppError } from '../../../shared/errors.ts';
import type { OpenedOrder } from '../../../shared/order-lookup.ts';
import type { Deps } from '../../deps.ts';
import type { Client } from '../../platform/http/client.ts';
import { countTry, redeemVerification } from '../accounts/verifications.queries.ts';
import { listRefundsOfOrders } from '../orders/order-refunds.queries.ts';
import { getOrder, listOrderLines } from '../orders/orders.queries.ts';
import { presentOrder } from '../orders/present-order.ts';
import { revealOrder } from '../orders/reveal-items.ts';
import { isRightCode } from './lookup-code.ts';

/**
 * Opens an order, with its delivered secrets, to whoever has the code that was mailed to its buyer: once, within five
 * tries. Throws the same INVALID_CODE whatever is wrong.
 */
export async function openLookup(
  deps: Deps,
  { lookupId, code, client }: { lookupId: string; code: string; client: Client },
): Promise<OpenedOrder> {
  const now = deps.clock.now();
  const lookup = await countTry(deps.db, { id: lookupId, purpose: 'order-lookup', now });
  const right = lookup?.secret_hash != null && isRightCode(deps.config, lookupId, code, lookup.secret_hash);
  if (!right || lookup.order_id === null || !(await redeemVerification(deps.db, { id: lookupId, now }))) {
    throw new AppError('INVALID_CODE', 'This code is wrong or no longer valid');
  }
  const order = await getOrder(deps.db, lookup.order_id);
  const lines = await listOrderLines(deps.db, [order.id]);
  const refunds = await listRefundsOfOrders(deps.db, [order]);
  const hasItems = order.type === 'digital' && order.state === 'fulfilled';
  return {
    order: presentOrder({ ...order, lines, refunds }),
    delivered: hasItems ? await revealOrder(deps, { orderId: order.id, userId: null, client }) : null,
  };
}
