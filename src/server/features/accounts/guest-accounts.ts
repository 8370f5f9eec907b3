import type { Insertable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';
import { findUserByEmail, type getGuestOfOrder, insertUserIfNew } from './accounts.queries.ts';

/**
 * Returns the owner of a paid order: the signed-in buyer; for a guest, a new account without a password, or an existing
 * account with a verified e-mail. Otherwise nobody owns the order until the link in its mail is used (claim-account.ts,
 * docs/security.md).
 */
export async function ownerOfPaidOrder(trx: Transaction, order: OrderRow, now: Date) {
  if (order.user_id !== null) return { userId: order.user_id, madeAccount: order.made_account };
  const made = await insertUserIfNew(trx, newGuest(order, now));
  if (made) return { userId: made.id, madeAccount: true };
  const known = await findUserByEmail(trx, order.contact_email);
  return { userId: known?.email_verified_at ? known.id : null, madeAccount: false };
}

type GuestOrder = Awaited<ReturnType<typeof getGuestOfOrder>>;

/** Returns the row of a guest's new account, without a password and with an unverified e-mail. */
export const newGuest = (order: GuestOrder, now: Date): Insertable<Tables['users']> => ({
  id: uuidv7(),
  email: order.contact_email,
  email_verified_at: null,
  name: order.guest_name,
  phone: order.guest_phone,
  password_hash: null,
  created_at: now,
  ...addressOf(order),
});

/** The shipping address becomes the address of the new account; an order without physical goods has none. */
const addressOf = (order: GuestOrder) =>
  order.shipping_street !== null && {
    street: order.shipping_street,
    city: order.shipping_city ?? '',
    state: order.shipping_state ?? '',
    zip_code: order.shipping_zip_code ?? '',
    ...(order.shipping_country !== null && { country: order.shipping_country }),
  };
