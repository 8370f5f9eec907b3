import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { SessionEntry, User } from '../../../shared/accounts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { type Authenticate, type Client, readSecretCookie, sessionExpired } from '../../platform/http/client.ts';
import { assertCode, isTwoFactorEnabled } from '../two-factor/two-factor.ts';
import { endVerifications, findUser, lockUser } from './accounts.queries.ts';
import {
  DEVICE_MS,
  type Device,
  findLiveSession,
  insertSession,
  markAuthenticated,
  revokeSessions,
  type SessionRow,
} from './sessions.queries.ts';

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
  input: { user: UserRow; remember?: boolean; client: Client; device?: Device | undefined },
): Promise<NewSession> {
  const { user, remember = false, client } = input;
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
 * the call may have waited for a new password or a block, which ended its session.
 */
export async function assertStillSignedIn(
  { clock }: Pick<Deps, 'clock'>,
  trx: Transaction,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  if (!(await findLiveSession(trx, sessionId, userId, clock.now()))) throw sessionExpired();
}

/** Ends the other sessions of a user, and every login that waits for its code. */
export async function endOtherLogins(
  trx: Transaction,
  { userId, sessionId, now }: { userId: string; sessionId: string; now: Date },
): Promise<void> {
  await revokeSessions(trx, { userId, keep: sessionId, now });
  await endVerifications(trx, { userId, among: ['login'], now });
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
export function setDeviceCookie(reply: FastifyReply, { userId, token }: Device): void {
  reply.setCookie(DEVICE_COOKIE, `${userId}.${token}`, {
    sameSite: 'strict',
    path: '/api/auth',
    maxAge: DEVICE_MS / 1_000,
  });
}

const RECENT_MS = 10 * MINUTE_MS;

/**
 * Guards actions that could give an account away for ever. They require that the password or a two-factor code was
 * entered in the session within the last ten minutes, so a stolen session alone is not enough. Throws
 * REAUTHENTICATION_REQUIRED; browsers then ask for a proof and repeat the call.
 */
export function assertRecentlyAuthenticated(deps: Deps, { authenticatedAt }: { authenticatedAt: Date }): void {
  // A proof that was given while the clock was ahead must not count for longer by as much.
  if (Math.abs(deps.clock.now().getTime() - authenticatedAt.getTime()) <= RECENT_MS) return;
  throw new AppError('REAUTHENTICATION_REQUIRED', 'Please confirm that it is you. Nothing was changed.');
}

/**
 * Marks a session as recently authenticated, by the password or, with two-factor, by a code. Wrong ones count together,
 * ten in 15 minutes. Throws what confirmPassword throws, INVALID_CODE, TWO_FACTOR_NOT_SET_UP.
 */
export async function reauthenticate(
  deps: Deps,
  session: { userId: string; sessionId: string },
  proof: { password: string } | { code: string },
): Promise<void> {
  const { userId, sessionId } = session;
  const mark = (trx: Transaction) => markAuthenticated(trx, sessionId, deps.clock.now());
  if ('password' in proof) {
    const confirmed = await confirmPassword(deps, { ...session, ...proof, field: 'password' });
    return deps.db.transaction().execute(async (trx) => {
      await lockUserIfPasswordUnchanged(deps, trx, confirmed);
      await mark(trx);
    });
  }
  await assertTwoFactorEnabled(deps.db, userId);
  await deps.limits.countFailures('current-password', { session: sessionId, user: userId }, () =>
    deps.db.transaction().execute(async (trx) => {
      await assertCode(deps, trx, { userId, code: proof.code });
      await mark(trx);
    }),
  );
}

export async function assertTwoFactorEnabled(db: Database, userId: string): Promise<void> {
  if (await isTwoFactorEnabled(db, userId)) return;
  throw new AppError('TWO_FACTOR_NOT_SET_UP', 'Two-factor authentication is not enabled');
}

/** A user whose password was right; its hash is that of the check, for lockUserIfPasswordUnchanged. */
interface ConfirmedUser {
  user: UserRow;
  sessionId: string;
  /** The form field that an error names. */
  field: string;
}

/**
 * Checks the password of a signed-in user again. A wrong one counts only against the limit of this session, so that a
 * stolen session cannot keep the owner from changing the password in another. Throws VALIDATION_FAILED for `field` (not
 * 401, on which browsers sign out), RATE_LIMITED, BUSY.
 */
export async function confirmPassword(
  deps: Deps,
  input: { userId: string; sessionId: string; password: string; field: string },
): Promise<ConfirmedUser> {
  const { userId, sessionId: session, password, field } = input;
  const user = await findUser(deps.db, userId);
  if (!user) throw sessionExpired();
  await deps.limits.countFailures('current-password', { session, user: userId }, async () => {
    if (await deps.passwords.verify(user.password_hash, password, userId)) return;
    throw wrongPassword(field);
  });
  return { user, sessionId: session, field };
}

/**
 * Locks the user. A password that was changed since the check, e.g. to lock out an attacker, is rejected as wrong. Throws
 * UNAUTHENTICATED if the session has ended since.
 */
export async function lockUserIfPasswordUnchanged(
  deps: Pick<Deps, 'clock'>,
  trx: Transaction,
  { user, sessionId, field }: ConfirmedUser,
): Promise<void> {
  const { password_hash } = await lockUser(trx, user.id);
  if (password_hash !== user.password_hash) throw wrongPassword(field);
  await assertStillSignedIn(deps, trx, { userId: user.id, sessionId });
}

const wrongPassword = (field: string) => new AppError('VALIDATION_FAILED', 'Current password is incorrect', field);

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
