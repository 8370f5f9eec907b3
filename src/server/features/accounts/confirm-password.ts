import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { findUser } from './accounts.queries.ts';

/** Somebody whose password was right, and the password that it was; for lockConfirmed. */
export interface ConfirmedUser {
  user: UserRow;
  /** Of the form, for a refusal. */
  field: string;
}

/**
 * Asks a signed-in user for their password again. A wrong one counts against the session's limit of guesses, so that
 * a stolen session cannot keep its owner's others from changing the password. It is not answered
 * 401, on which browsers sign out: throws VALIDATION_FAILED for `field`, RATE_LIMITED, BUSY.
 */
export async function confirmPassword(
  deps: Deps,
  {
    userId,
    sessionId,
    password,
    field,
  }: { userId: string; sessionId: string; password: string; field: string },
): Promise<ConfirmedUser> {
  const user = await findUser(deps.db, userId);
  if (!user) throw new AppError('UNAUTHENTICATED', 'Session expired. Please login again.');
  await deps.limits.countFailures('current-password', { session: sessionId }, async () => {
    if (await deps.passwords.verify(user.password_hash, password, sessionId)) return;
    throw wrongPassword(field);
  });
  return { user, field };
}

export const wrongPassword = (field: string) =>
  new AppError('VALIDATION_FAILED', 'Current password is incorrect', field);
