import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { lockUser } from '../accounts/accounts.queries.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';

/** Until the transaction ends two-factor of this user stays on, and no login of theirs takes place. Throws TWO_FACTOR_NOT_SET_UP. */
export async function lockEnabled(trx: Transaction, userId: string): Promise<void> {
  await lockUser(trx, userId);
  if (await isTwoFactorEnabled(trx, userId)) return;
  throw new AppError('TWO_FACTOR_NOT_SET_UP', 'Two-factor authentication is not enabled');
}
