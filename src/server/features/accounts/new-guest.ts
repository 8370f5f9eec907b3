import type { Insertable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';

/** The account that a guest's order makes: without a password, its address unproven. */
export const newGuest = (order: OrderRow, now: Date): Insertable<Tables['users']> => ({
  id: uuidv7(),
  email: order.contact_email,
  email_verified_at: null,
  name: order.guest_name,
  phone: order.guest_phone,
  password_hash: null,
  created_at: now,
});
