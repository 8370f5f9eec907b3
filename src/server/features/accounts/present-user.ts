import type { User } from '../../../shared/accounts.ts';
import type { SessionEntry } from '../../../shared/profile.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { SessionRow } from './sessions.queries.ts';

export const presentUser = (row: UserRow): User => ({
  _id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: row.email_verified_at !== null,
  phone: row.phone,
  role: row.role,
  address: { street: row.street, city: row.city, state: row.state, zipCode: row.zip_code, country: row.country },
  createdAt: row.created_at.toISOString(),
});

/** A session as shown to its user and to an administrator; `ownId` is the session of the viewer. */
export const presentSession = (session: SessionRow, ownId: string): SessionEntry => ({
  id: session.id,
  userAgent: session.user_agent,
  ip: session.ip,
  createdAt: session.created_at.toISOString(),
  lastSeenAt: session.last_seen_at.toISOString(),
  expiresAt: session.expires_at.toISOString(),
  current: session.id === ownId,
});
