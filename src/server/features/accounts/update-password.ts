import type { Deps } from '../../deps.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { changePassword } from './accounts.queries.ts';
import { assertPasswordOfRole } from './assert-password-of-role.ts';
import { confirmPassword } from './confirm-password.ts';
import { lockConfirmed } from './lock-confirmed.ts';
import { markAuthenticated, revokeSessions } from './sessions.queries.ts';

/**
 * Changes the password of somebody who knows the current one, ends their other sessions and tells them by mail. A wrong
 * current password is not answered 401, on which browsers sign out.
 */
export async function updatePassword(
  deps: Deps,
  input: { userId: string; sessionId: string; currentPassword: string; newPassword: string },
): Promise<void> {
  const { userId, sessionId, currentPassword: password } = input;
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'currentPassword' });
  const { role, email } = confirmed.user;
  assertPasswordOfRole(role, input.newPassword, 'newPassword');
  const passwordHash = await deps.passwords.hash(input.newPassword, sessionId);
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    await lockConfirmed(trx, confirmed);
    await changePassword(trx, { userId, passwordHash, now });
    await revokeSessions(trx, { userId, keep: sessionId, now });
    await markAuthenticated(trx, { sessionId, now });
    await enqueueMail(deps, trx, { kind: 'password-changed', recipient: email, userId });
  });
}
