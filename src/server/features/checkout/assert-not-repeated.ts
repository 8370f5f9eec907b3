import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { CartLine } from './cart-lines.ts';
import { lockAndFindRepeat } from './repeats.queries.ts';

export interface Repeat {
  cart: CartLine[];
  /** Null for a guest, of whom only the order in the checkout cookie is known: anybody can type another's e-mail. */
  userId: string | null;
  /** SHA-256 of the checkout cookie's secret. */
  checkoutHash: Buffer | null;
  /** The order that the checkout cookie names. */
  boundOrderId: string | null;
  now: Date;
}

/**
 * Refuses an order of just what this buyer bought in the last 10 minutes, or is paying for in another browser. The account
 * is locked until the transaction ends, so that of two devices at once exactly one goes on. Throws REPEAT_ORDER.
 */
export async function assertNotRepeated(trx: Transaction, repeat: Repeat): Promise<void> {
  if (repeat.userId === null && repeat.boundOrderId === null) return;
  const found = await lockAndFindRepeat(trx, repeat);
  if (!found) return;
  const { isPaid, orderedAt } = found;
  const when = timeSince(orderedAt, repeat.now);
  throw new AppError(
    'REPEAT_ORDER',
    isPaid
      ? `You bought this ${when}. Buy it again?`
      : `You started paying for this somewhere else ${when}. Buy it again?`,
    undefined,
    { orderedAt },
  );
}

function timeSince(then: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - then.getTime()) / 60_000);
  if (minutes < 1) return 'just now';
  return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
}
