import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { type Details, saveDetails } from './accounts.queries.ts';

/**
 * Saves what may change at once. A new e-mail is only written to: the account has it when its owner clicks the link, and
 * until then the answer is the same whether or not the address has an account.
 */
export function updateDetails(
  deps: Deps,
  { userId, email, details }: { userId: string; email: string; details: Details },
): Promise<{ user: UserRow; pendingEmail: string | null }> {
  return deps.db.transaction().execute(async (trx) => {
    const user = await saveDetails(trx, userId, details);
    if (user.email === email) return { user, pendingEmail: null };
    await enqueueMail(deps, trx, { kind: 'email-change', recipient: email, userId });
    return { user, pendingEmail: email };
  });
}
