import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { findUser, lockUser } from '../accounts/accounts.queries.ts';
import type { Actor } from '../audit/write-audit.ts';
import { lockAdministrators } from './users.queries.ts';

/**
 * The user whom an administrator is about to change, and who else could run the shop, locked in the same order by
 * everybody. Throws FORBIDDEN when the administrator has been unmade or blocked since the call began, NOT_FOUND.
 */
export async function lockForAdministration(
  trx: Transaction,
  { actor, userId }: { actor: Actor; userId: string },
): Promise<{ user: UserRow; otherAdministrators: string[] }> {
  const administrators = await lockAdministrators(trx);
  if (!administrators.includes(actor.userId ?? '')) {
    throw new AppError('FORBIDDEN', 'Access denied. Administrator privileges required.');
  }
  if (!(await findUser(trx, userId))) throw new AppError('NOT_FOUND', 'User not found');
  const user = await lockUser(trx, userId);
  return { user, otherAdministrators: administrators.filter((id) => id !== userId) };
}
