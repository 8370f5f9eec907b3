import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { findUserByEmail, insertUserIfNew } from './accounts.queries.ts';
import { newGuest } from './new-guest.ts';

/**
 * Whose a paid order becomes: the signed-in buyer's; for a guest a new account, made here without a password; an
 * existing account only if it has proven its e-mail, else nobody's until the mailed link is used (docs/security.md).
 */
export async function ownerOfPaidOrder(
  trx: Transaction,
  order: OrderRow,
  now: Date,
): Promise<{ userId: string | null; madeAccount: boolean }> {
  if (order.user_id !== null) return { userId: order.user_id, madeAccount: order.made_account };
  const made = await insertUserIfNew(trx, newGuest(order, now));
  if (made) return { userId: made.id, madeAccount: true };
  const known = await findUserByEmail(trx, order.contact_email);
  return { userId: known?.email_verified_at ? known.id : null, madeAccount: false };
}
