import type { User } from '../../../shared/accounts.ts';
import type { UserRow } from '../../platform/database/tables.ts';

/** A user as they may see themselves. */
export function presentUser(row: UserRow): User {
  return {
    _id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified_at !== null,
    phone: row.phone,
    role: row.role,
    address: {
      street: row.street,
      city: row.city,
      state: row.state,
      zipCode: row.zip_code,
      country: row.country,
    },
    createdAt: row.created_at.toISOString(),
  };
}
