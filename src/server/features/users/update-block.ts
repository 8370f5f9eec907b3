import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { assertRecentlyAuthenticated } from '../accounts/assert-recently-authenticated.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { endAccess } from './end-access.ts';
import { lockForAdministration } from './lock-for-administration.ts';
import { setBlock } from './users.queries.ts';

/**
 * Shuts a user out, or lets them in again. What they have paid for stays theirs by the code that is mailed to a buyer.
 * Whoever blocks can run the shop and is not the one who is blocked, so that somebody always can. Throws
 * REAUTHENTICATION_REQUIRED, NOT_FOUND, FORBIDDEN, VALIDATION_FAILED.
 */
export async function updateBlock(
  deps: Deps,
  input: { userId: string; reason: string | null; actor: Actor; authenticatedAt: Date },
): Promise<void> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, reason, actor } = input;
  await deps.db.transaction().execute(async (trx) => {
    const { user } = await lockForAdministration(trx, { actor, userId });
    if (actor.userId === userId) throw new AppError('VALIDATION_FAILED', 'You cannot block yourself');
    const now = deps.clock.now();
    if (reason === null && !user.blocked_at) return;
    await setBlock(trx, userId, { blocked_at: reason === null ? null : now, block_reason: reason });
    await endAccess(trx, { userId, now });
    await writeAudit(deps, trx, {
      actor,
      action: reason === null ? 'user.unblocked' : 'user.blocked',
      subject: { type: 'user', id: userId },
      summary: reason === null ? `${user.email} may sign in again` : `${user.email} is blocked: ${reason}`,
    });
  });
}
