import type { Transaction } from '../../platform/database/open-database.ts';
import { lockUser } from './accounts.queries.ts';
import { type ConfirmedUser, wrongPassword } from './confirm-password.ts';

/**
 * The user until the transaction ends, if the confirmed password is still theirs: changed meanwhile, perhaps to put out
 * whoever is asking, it is refused like a wrong one.
 */
export async function lockConfirmed(trx: Transaction, { user, field }: ConfirmedUser): Promise<void> {
  const { password_hash } = await lockUser(trx, user.id);
  if (password_hash !== user.password_hash) throw wrongPassword(field);
}
