import type { Deps } from '../../deps.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { changePassword } from './accounts.queries.ts';
import { assertPasswordOfRole } from './assert-password-of-role.ts';
import { dropPendingLogins } from './pending-logins.queries.ts';
import { proveEmail } from './prove-email.ts';
import { redeemAccountLink } from './redeem-account-link.ts';
import { revokeSessions } from './sessions.queries.ts';

/**
 * Sets a new password by a mailed link, which also proves the address. Whoever was signed in or half way there is out.
 * Two-factor stays as it is, since a mailbox alone must not be enough to get around it; but as long as the address was
 * proven by nobody, it may be somebody else who set it up. Throws LINK_INVALID.
 */
export async function resetPassword(
  deps: Deps,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const passwordHash = await deps.passwords.hash(password);
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const { user } = await redeemAccountLink(trx, { token, kinds: ['password-reset'], now });
    const { id: userId, email } = user;
    assertPasswordOfRole(user.role, password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await proveEmail(trx, { userId, email, now });
    await revokeSessions(trx, { userId, now });
    await dropPendingLogins(trx, userId);
    if (!user.email_verified_at) await deleteTwoFactor(trx, userId);
    await enqueueMail(deps, trx, { kind: 'password-changed', recipient: email, userId });
  });
}
