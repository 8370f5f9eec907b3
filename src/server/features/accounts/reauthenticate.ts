import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { acceptCode } from '../authenticators/accept-code.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';
import { confirmPassword } from './confirm-password.ts';
import { lockConfirmed } from './lock-confirmed.ts';
import { markAuthenticated } from './sessions.queries.ts';

/**
 * Marks a session as recently authenticated, by the password or, where two-factor is on, by a code. Wrong passwords and
 * wrong codes count together, ten in 15 minutes. An account without a password has no session, so nobody is left out.
 * Throws what confirmPassword throws, INVALID_CODE, TWO_FACTOR_NOT_SET_UP.
 */
export async function reauthenticate(
  deps: Deps,
  session: { userId: string; sessionId: string },
  proof: { password: string } | { code: string },
): Promise<void> {
  if ('code' in proof) return proveCode(deps, { ...session, ...proof });
  const { sessionId } = session;
  const confirmed = await confirmPassword(deps, { ...session, password: proof.password, field: 'password' });
  await deps.db.transaction().execute(async (trx) => {
    await lockConfirmed(trx, confirmed);
    await markAuthenticated(trx, { sessionId, now: deps.clock.now() });
  });
}

async function proveCode(
  deps: Deps,
  { userId, sessionId, code }: { userId: string; sessionId: string; code: string },
): Promise<void> {
  if (!(await isTwoFactorEnabled(deps.db, userId))) {
    throw new AppError('TWO_FACTOR_NOT_SET_UP', 'Two-factor authentication is not enabled');
  }
  await deps.limits.countFailures('current-password', { session: sessionId }, () =>
    deps.db.transaction().execute(async (trx) => {
      if (!(await acceptCode(deps, trx, { userId, code }))) {
        throw new AppError('INVALID_CODE', 'Invalid 2FA code');
      }
      await markAuthenticated(trx, { sessionId, now: deps.clock.now() });
    }),
  );
}
