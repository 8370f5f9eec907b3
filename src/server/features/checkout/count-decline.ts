import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { networkOf } from '../../platform/rate-limits/network-of.ts';
import { insertDecline, listOrdersToClose } from './declines.queries.ts';
import { releaseOrder } from './release-order.ts';

/**
 * A card was declined, once for each `declineId`, whoever tells of it first: the webhook, or the buyer's browser asking for
 * its payment. An address or a user with 20 is trying out stolen cards, and every open payment can be tried with one card
 * after another at the provider without a call to us. So openPayment refuses new ones, and what is open is closed: of the
 * same browser or user, and at the address what was itself declined. A neighbour's payment stays open.
 */
export async function countDecline(deps: Deps, order: OrderRow, declineId: string): Promise<void> {
  const { id: orderId, ip, user_id: user } = order;
  const isNew = await insertDecline(deps.db, { id: declineId, orderId, at: deps.clock.now() });
  const { limits } = deps;
  const [addressUsedUp, userUsedUp] = [
    ip !== '' &&
      (await isRefused(async () => {
        if (isNew) await limits.count('decline', { address: ip });
        await limits.assertLeft('decline', { address: ip });
      })),
    user !== null &&
      (await isRefused(async () => {
        if (isNew) await limits.count('customer-decline', { user });
        await limits.assertLeft('customer-decline', { user });
      })),
  ];
  if (!addressUsedUp && !userUsedUp) return;
  const open = await listOrdersToClose(deps.db, order);
  const toClose = open.filter(
    (other) => other.same_buyer || (addressUsedUp && networkOf(other.ip) === networkOf(ip)),
  );
  await Promise.all(toClose.map(({ id }) => releaseOrder(deps, id, 'payment-failed')));
}

async function isRefused(limit: () => Promise<void>): Promise<boolean> {
  try {
    await limit();
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return true;
    throw error;
  }
}
