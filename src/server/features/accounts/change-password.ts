import type { Role } from '../../../shared/accounts.ts';
import { AppError } from '../../../shared/errors.ts';
import { ADMIN_PASSWORD_MIN_LENGTH, lengthOfPassword } from '../../../shared/passwords.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Client } from '../../platform/http/client.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { deleteTwoFactor } from '../two-factor/two-factor.ts';
import { markEmailVerified } from './account-email.ts';
import { changePassword, findUser, type Purpose } from './accounts.queries.ts';
import { findAccountLink, isLinkStale, redeemAccountLink, refuseLink } from './mailed-links.ts';
import { type Device, hasChangedPassword, insertDevice, markAuthenticated } from './sessions.queries.ts';
import { assertNotBlocked, confirmPassword, lockUserIfPasswordUnchanged } from './sessions.ts';

type PasswordChange = { userId: string; sessionId: string; currentPassword: string; newPassword: string };

/**
 * Changes a password, ends the other sessions and notifies the user by mail. The same change again, after a lost
 * response, succeeds without effect. Throws what confirmPassword throws.
 */
export async function updatePassword(deps: Deps, input: PasswordChange): Promise<void> {
  await change(deps, input).catch(async (error: unknown) => {
    const isWrong = error instanceof AppError && error.field === 'currentPassword';
    if (!isWrong || !(await isChangedBySession(deps, input))) throw error;
  });
}

/**
 * Whether this session has changed the password to this one, and has not proven a password or code since. The wrong
 * current password was counted, so a guess is limited here, too.
 */
async function isChangedBySession(deps: Deps, { userId, sessionId, newPassword }: PasswordChange): Promise<boolean> {
  if (!(await hasChangedPassword(deps.db, sessionId))) return false;
  const user = await findUser(deps.db, userId);
  return deps.passwords.verify(user?.password_hash ?? null, newPassword, userId);
}

async function change(deps: Deps, input: PasswordChange): Promise<void> {
  const { userId, sessionId, currentPassword: password } = input;
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'currentPassword' });
  const { role, email } = confirmed.user;
  assertPasswordOfRole(role, input.newPassword, 'newPassword');
  const passwordHash = await deps.passwords.hash(input.newPassword, userId);
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    await lockUserIfPasswordUnchanged(deps, trx, confirmed);
    await changePassword(trx, { userId, passwordHash, keep: sessionId, now });
    await markAuthenticated(trx, sessionId, now);
    await enqueueMail(deps, trx, { kind: 'password-changed', recipient: email, userId });
  });
}

const among: Purpose[] = ['password-reset'];

type Reset = { token: string; password: string; client: Client };

/**
 * Sets a new password by a mailed link, which also proves the address, and ends all sessions. Two-factor stays, because
 * access to the mailbox alone must not bypass it. It is deleted only if it was set up before the address was verified.
 * The browser becomes a known device, so that the owner can sign in even if strangers have used up the login limit of
 * the account. Throws LINK_INVALID, ACCOUNT_BLOCKED, VALIDATION_FAILED, RATE_LIMITED, BUSY.
 */
export async function resetPassword(deps: Deps, input: Reset): Promise<{ device: Device; email: string }> {
  await assertResettable(deps, input);
  const { token, password } = input;
  const passwordHash = await deps.passwords.hash(password, hashToken(token).toString('hex'));
  return deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const { user } = await redeemAccountLink(trx, { token, among, now });
    const { id: userId, email } = user;
    assertPasswordOfRole(user.role, password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await markEmailVerified(trx, { userId, email, now });
    if (!user.email_verified_at) await deleteTwoFactor(trx, userId);
    await enqueueMail(deps, trx, { kind: 'password-changed', recipient: email, userId });
    const device = { userId, token: randomToken() };
    await insertDevice(trx, device, now);
    return { device, email };
  });
}

/** Runs before the password is hashed, so that an invalid token costs two reads. The transaction checks again. */
async function assertResettable(deps: Deps, { token, password, client }: Reset): Promise<void> {
  const now = deps.clock.now();
  const link = await findAccountLink(deps.db, { token, among, now });
  const user = link && (await findUser(deps.db, link.user_id));
  if (!user || isLinkStale(link, user, now)) throw await refuseLink(deps, client);
  assertNotBlocked(user);
  assertPasswordOfRole(user.role, password, 'password');
}

/** Throws VALIDATION_FAILED for `field`. The contract cannot: the minimum depends on the role (docs/security.md). */
export function assertPasswordOfRole(role: Role, password: string, field: string): void {
  if (role !== 'admin' || lengthOfPassword(password) >= ADMIN_PASSWORD_MIN_LENGTH) return;
  const message = `Administrators need a password of at least ${ADMIN_PASSWORD_MIN_LENGTH} characters`;
  throw new AppError('VALIDATION_FAILED', message, field);
}
