import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { sessionExpired } from '../../platform/http/client.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';
import { assertCode } from '../authenticators/two-factor.ts';
import { findUser, lockUser } from './accounts.queries.ts';
import { markAuthenticated } from './sessions.queries.ts';
import { assertStillSignedIn } from './start-session.ts';

const RECENT_MS = 10 * MINUTE_MS;

/**
 * Guards actions that could give an account away for ever. They require that the password or a two-factor code was
 * entered in the session within the last ten minutes, so a stolen session alone is not enough. Throws
 * REAUTHENTICATION_REQUIRED; browsers then ask for a proof and repeat the call.
 */
export function assertRecentlyAuthenticated(deps: Deps, { authenticatedAt }: { authenticatedAt: Date }): void {
  if (deps.clock.now().getTime() - authenticatedAt.getTime() <= RECENT_MS) return;
  throw new AppError('REAUTHENTICATION_REQUIRED', 'Please confirm that it is you. Nothing was changed.');
}

/**
 * Marks a session as recently authenticated, by the password or, if two-factor is on, by a code. Wrong passwords and
 * wrong codes count together, ten in 15 minutes. Throws what confirmPassword throws, INVALID_CODE,
 * TWO_FACTOR_NOT_SET_UP.
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
  if (!(await isTwoFactorEnabled(deps.db, userId))) {
    throw new AppError('TWO_FACTOR_NOT_SET_UP', 'Two-factor authentication is not enabled');
  }
  await deps.limits.countFailures('current-password', { session: sessionId }, () =>
    deps.db.transaction().execute(async (trx) => {
      await assertCode(deps, trx, { userId, code: proof.code });
      await mark(trx);
    }),
  );
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
  await deps.limits.countFailures('current-password', { session }, async () => {
    if (await deps.passwords.verify(user.password_hash, password, session)) return;
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
