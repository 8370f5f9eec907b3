import { v7 as uuidv7 } from 'uuid';
import type { Role } from '../../../shared/accounts.ts';
import type { Deps } from '../../deps.ts';
import type { Client } from '../../platform/http/client.ts';
import { insertSession } from './accounts.queries.ts';

const HOUR_MS = 60 * 60 * 1000;
const SESSION_MS = 12 * HOUR_MS;
const REMEMBERED_MS = 30 * 24 * HOUR_MS;
const ADMIN_MS = 8 * HOUR_MS;
/** Signs somebody in: a session row, and the bearer token that names it. Lengths from DESIGN.md section 7. */
export async function startSession(
  deps: Deps,
  input: { userId: string; role: Role; remember: boolean; client: Client },
): Promise<{ token: string }> {
  const now = deps.clock.now();
  const length = input.role === 'admin' ? ADMIN_MS : input.remember ? REMEMBERED_MS : SESSION_MS;
  const session = { id: uuidv7(), expiresAt: new Date(now.getTime() + length) };
  await insertSession(deps.db, {
    id: session.id,
    user_id: input.userId,
    created_at: now,
    expires_at: session.expiresAt,
    last_seen_at: now,
    remembered: input.remember,
    ip: input.client.ip,
    user_agent: input.client.userAgent,
  });
  const token = await deps.sessionTokens.sign({
    userId: input.userId,
    sessionId: session.id,
    expiresAt: session.expiresAt,
  });
  return { token };
}
