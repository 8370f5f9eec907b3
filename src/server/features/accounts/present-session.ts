import type { SessionEntry } from '../../../shared/accounts.ts';
import type { SessionRow } from './sessions.queries.ts';

/** A session as its user, and an administrator, may see it; `ownId` is that of whoever looks. */
export const presentSession = (session: SessionRow, ownId: string): SessionEntry => ({
  id: session.id,
  userAgent: session.user_agent,
  ip: session.ip,
  createdAt: session.created_at.toISOString(),
  lastSeenAt: session.last_seen_at.toISOString(),
  expiresAt: session.expires_at.toISOString(),
  current: session.id === ownId,
});
