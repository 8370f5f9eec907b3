import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { type Details, saveDetails } from './accounts.queries.ts';
import { assertRecentlyAuthenticated } from './assert-recently-authenticated.ts';
import { askForEmail } from './pending-email.ts';

/**
 * Saves what may change at once. A new e-mail is only written to: the account has it when its owner clicks the link, and
 * until then the answer is the same whether or not the address has an account. Throws REAUTHENTICATION_REQUIRED for a new
 * e-mail; then nothing is saved.
 */
export function updateDetails(
  deps: Deps,
  input: { userId: string; authenticatedAt: Date; email: string; details: Details },
): Promise<{ user: UserRow; pendingEmail: string | null }> {
  const { userId, email, details } = input;
  return deps.db.transaction().execute(async (trx) => {
    const user = await saveDetails(trx, userId, details);
    if (user.email === email) return { user, pendingEmail: null };
    assertRecentlyAuthenticated(deps, input);
    await askForEmail(deps, trx, { userId, email });
    return { user, pendingEmail: email };
  });
}
