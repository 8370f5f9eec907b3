import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { insertSession } from './accounts.queries.ts';
import { assertNotBlocked } from './assert-not-blocked.ts';

const HOUR_MS = 60 * 60 * 1000;
const SESSION_MS = 12 * HOUR_MS;
const REMEMBERED_MS = 30 * 24 * HOUR_MS;
const ADMIN_MS = 8 * HOUR_MS;

/**
 * Signs somebody in: a session row, and the bearer token that names it. Lengths from DESIGN.md section 7. Every way in ends
 * here, so this is where nobody who is blocked gets past.
 */
export async function startSession(
  deps: Deps,
  { user, remember, client }: { user: UserRow; remember: boolean; client: Client },
): Promise<{ token: string }> {
  assertNotBlocked(user);
  const now = deps.clock.now();
  const length = user.role === 'admin' ? ADMIN_MS : remember ? REMEMBERED_MS : SESSION_MS;
  const session = { id: uuidv7(), expiresAt: new Date(now.getTime() + length) };
  await insertSession(deps.db, {
    id: session.id,
    user_id: user.id,
    created_at: now,
    expires_at: session.expiresAt,
    last_seen_at: now,
    remembered: remember,
    ip: client.ip,
    user_agent: client.userAgent,
  });
  const token = await deps.sessionTokens.sign({
    userId: user.id,
    sessionId: session.id,
    expiresAt: session.expiresAt,
  });
  return { token };
}
