import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { changePassword, findUser, lockUser } from './accounts.queries.ts';
import { assertPasswordOfRole } from './assert-password-of-role.ts';
import { confirmPassword } from './confirm-password.ts';
import { dropPendingLogins } from './pending-logins.queries.ts';
import { revokeSessions } from './sessions.queries.ts';

/**
 * Changes the password of somebody who knows the current one, ends their other sessions and tells them by mail. A wrong
 * current password is not answered 401, on which browsers sign out.
 */
export async function updatePassword(
  deps: Deps,
  input: { userId: string; sessionId: string; currentPassword: string; newPassword: string },
): Promise<void> {
  const { userId } = input;
  const user = await findUser(deps.db, userId);
  if (!user) throw new AppError('UNAUTHENTICATED', 'Session expired. Please login again.');
  assertPasswordOfRole(user.role, input.newPassword, 'newPassword');
  await confirmPassword(deps, { userId, password: input.currentPassword, field: 'currentPassword' });
  const passwordHash = await deps.passwords.hash(input.newPassword);
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const { password_hash } = await lockUser(trx, userId);
    // Changed while it was being checked, perhaps to put out whoever is asking.
    if (password_hash !== user.password_hash)
      throw new AppError('VALIDATION_FAILED', 'Current password is incorrect', 'currentPassword');
    await changePassword(trx, { userId, passwordHash, now });
    await revokeSessions(trx, { userId, keep: input.sessionId, now });
    await dropPendingLogins(trx, userId);
    await enqueueMail(deps, trx, { kind: 'password-changed', recipient: user.email, userId });
  });
}
