import type { Deps } from '../../deps.ts';
import { confirmPassword } from '../accounts/confirm-password.ts';
import { lockConfirmed } from '../accounts/lock-confirmed.ts';
import { dropPendingLogins } from '../accounts/pending-logins.queries.ts';
import { revokeSessions } from '../accounts/sessions.queries.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { lockEnabled } from './lock-enabled.ts';

/**
 * Turns two-factor off for a user who knows their password, and ends their other sessions. Throws what confirmPassword
 * throws, and TWO_FACTOR_NOT_SET_UP.
 */
export async function disableTwoFactor(
  deps: Deps,
  { userId, sessionId, password }: { userId: string; sessionId: string; password: string },
): Promise<void> {
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'password' });
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    await lockConfirmed(trx, confirmed);
    await lockEnabled(trx, userId);
    await deleteTwoFactor(trx, userId);
    await revokeSessions(trx, { userId, keep: sessionId, now });
    await dropPendingLogins(trx, userId);
  });
}
