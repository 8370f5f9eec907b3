import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { findUser } from './accounts.queries.ts';

/**
 * Asks a signed-in user for their password again. A wrong one counts against the limit of guesses, and is not answered
 * 401, on which browsers sign out: throws VALIDATION_FAILED for `field`, RATE_LIMITED, BUSY.
 */
export async function confirmPassword(
  deps: Deps,
  { userId, password, field }: { userId: string; password: string; field: string },
): Promise<void> {
  const user = await findUser(deps.db, userId);
  await deps.limits.countFailures('current-password', { user: userId }, async () => {
    if (await deps.passwords.verify(user?.password_hash ?? null, password)) return;
    throw new AppError('VALIDATION_FAILED', 'Current password is incorrect', field);
  });
}
