import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { type Authenticate, type Client, readSecretCookie, sessionExpired } from '../../platform/http/client.ts';
import { DEVICE_MS, type Device, findLiveSession, insertSession } from './sessions.queries.ts';

const SESSION_MS = 12 * HOUR_MS;
const REMEMBERED_MS = 30 * DAY_MS;
const ADMIN_MS = 8 * HOUR_MS;
const DEVICE_COOKIE = 'device';

export type NewSession = { token: string; device: Device; user: UserRow };

/**
 * Starts a session for a user who has just proven a password, code or link. Every login ends here, so blocked users are
 * rejected here (ACCOUNT_BLOCKED). The transaction must have locked or created the user, so that a concurrent
 * revocation of the user's sessions either commits first and is seen here, or waits and revokes this session, too.
 * `device` is a known device of the user. Without it the browser becomes a known device, by the cookie that the caller
 * must set.
 */
export async function startSession(
  deps: Pick<Deps, 'clock' | 'sessionTokens'>,
  trx: Transaction,
  input: { user: UserRow; remember: boolean; client: Client; device?: Device | undefined },
): Promise<NewSession> {
  const { user, remember, client } = input;
  assertNotBlocked(user);
  const now = deps.clock.now();
  const lengthMs = user.role === 'admin' ? ADMIN_MS : remember ? REMEMBERED_MS : SESSION_MS;
  const [sessionId, expiresAt] = [uuidv7(), new Date(now.getTime() + lengthMs)];
  const device = input.device ?? { userId: user.id, token: randomToken() };
  const row = { id: sessionId, user_id: user.id, remembered: remember, ip: client.ip, user_agent: client.userAgent };
  const times = { created_at: now, last_seen_at: now, authenticated_at: now, expires_at: expiresAt };
  await insertSession(trx, { ...row, ...times }, device);
  return { token: await deps.sessionTokens.sign({ userId: user.id, sessionId, expiresAt }), device, user };
}

/** Call it only after a correct password, code or link. To anybody else a blocked account must look like any other. */
export function assertNotBlocked({ blocked_at }: Pick<UserRow, 'blocked_at'>): void {
  if (blocked_at) throw new AppError('ACCOUNT_BLOCKED', 'This account is blocked. Please contact support.');
}

/**
 * Throws UNAUTHENTICATED unless the session of a running call is still live. The transaction must have locked the user:
 * the call may have waited for a new password or a block, which put its session out.
 */
export async function assertStillSignedIn(
  { clock }: Pick<Deps, 'clock'>,
  trx: Transaction,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  if (!(await findLiveSession(trx, sessionId, userId, clock.now()))) throw sessionExpired();
}

/** A token only names a session: every call reads whether the session is live, and the role of its user. */
export const createAuthenticate =
  ({ db, sessionTokens, clock }: Deps): Authenticate =>
  async (bearerToken) => {
    const { userId, sessionId } = await sessionTokens.verify(bearerToken);
    const live = await findLiveSession(db, sessionId, userId, clock.now());
    if (!live) throw sessionExpired();
    return { userId, sessionId, ...live };
  };

export function readDeviceCookie(request: FastifyRequest): Device | undefined {
  const cookie = readSecretCookie(request, DEVICE_COOKIE);
  return cookie && { userId: cookie.id, token: cookie.secret };
}

/** Sets the device cookie. Browsers send it only to /api/auth, and never with requests of other sites. */
export function setDeviceCookie({ config }: Deps, reply: FastifyReply, { userId, token }: Device): void {
  reply.setCookie(DEVICE_COOKIE, `${userId}.${token}`, {
    httpOnly: true,
    sameSite: 'strict',
    secure: config.secureCookies,
    path: '/api/auth',
    maxAge: DEVICE_MS / 1_000,
  });
}
