import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { randomToken } from '../../platform/crypto/random-token.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { insertSession } from './accounts.queries.ts';
import { assertNotBlocked } from './assert-not-blocked.ts';
import type { Device } from './device-cookie.ts';

const HOUR_MS = 60 * 60 * 1000;
const SESSION_MS = 12 * HOUR_MS;
const REMEMBERED_MS = 30 * 24 * HOUR_MS;
const ADMIN_MS = 8 * HOUR_MS;

/**
 * Signs somebody in who has just proven password or code: a session row, and the bearer token that names it. Every way in
 * ends here, so this is where nobody who is blocked gets past. `device` is a known one of this user; else the browser
 * becomes one, by the cookie that the caller sets.
 */
export async function startSession(
  deps: Deps,
  input: { user: UserRow; remember: boolean; client: Client; device?: Device | undefined },
): Promise<{ token: string; device: Device }> {
  const { user, remember, client } = input;
  assertNotBlocked(user);
  const now = deps.clock.now();
  const length = user.role === 'admin' ? ADMIN_MS : remember ? REMEMBERED_MS : SESSION_MS;
  const session = { id: uuidv7(), expiresAt: new Date(now.getTime() + length) };
  const device = input.device ?? { userId: user.id, token: randomToken() };
  const row = {
    id: session.id,
    user_id: user.id,
    created_at: now,
    expires_at: session.expiresAt,
    last_seen_at: now,
    authenticated_at: now,
    remembered: remember,
    ip: client.ip,
    user_agent: client.userAgent,
  };
  await insertSession(deps.db, row, device);
  const token = await deps.sessionTokens.sign({
    userId: user.id,
    sessionId: session.id,
    expiresAt: session.expiresAt,
  });
  return { token, device };
}
