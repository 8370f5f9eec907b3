import type { Deps } from '../../deps.ts';
import { assertRecentlyAuthenticated } from '../accounts/assert-recently-authenticated.ts';
import { confirmPassword } from '../accounts/confirm-password.ts';
import { lockConfirmed } from '../accounts/lock-confirmed.ts';
import { revokeSessions } from '../accounts/sessions.queries.ts';
import { endVerifications } from '../accounts/verifications.queries.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { lockEnabled } from './lock-enabled.ts';

/**
 * Turns two-factor off for a user who knows their password, ends their other sessions and tells them by mail. Throws what
 * confirmPassword throws, REAUTHENTICATION_REQUIRED and TWO_FACTOR_NOT_SET_UP.
 */
export async function disableTwoFactor(
  deps: Deps,
  input: { userId: string; sessionId: string; authenticatedAt: Date; password: string },
): Promise<void> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, sessionId, password } = input;
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'password' });
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    await lockConfirmed(trx, confirmed);
    await lockEnabled(trx, userId);
    await deleteTwoFactor(trx, userId);
    await revokeSessions(trx, { userId, keep: sessionId, now });
    await endVerifications(trx, { userId, among: ['login'], now });
    const { email: recipient } = confirmed.user;
    await enqueueMail(deps, trx, { kind: 'two-factor-disabled', recipient, userId });
  });
}
