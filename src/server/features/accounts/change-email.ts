import { AppError } from '../../../shared/errors.ts';
import type { PendingEmail } from '../../../shared/profile.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import {
  type Details,
  deleteEmailChange,
  type EmailChange,
  findEmailChange,
  lockUser,
  saveDetails,
  saveEmailChange,
} from './accounts.queries.ts';
import { assertRecentlyAuthenticated } from './reauthenticate.ts';
import { endVerifications, purposes } from './verifications.queries.ts';

/**
 * Saves the details of a user. A new e-mail is only written to: the account has it when the link in that mail is used, and
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

/** Saves the new address that a user wants, and the mail with the link that confirms it. */
async function askForEmail(
  deps: Deps,
  trx: Transaction,
  { userId, email }: { userId: string; email: string },
): Promise<PendingEmail> {
  const change = { user_id: userId, email, asked_at: deps.clock.now() };
  await saveEmailChange(trx, change);
  await enqueueMail(deps, trx, { kind: 'email-change', recipient: email, userId });
  return presentEmailChange(change);
}

/** Mails the link again. Throws NOT_FOUND without a change to confirm, REAUTHENTICATION_REQUIRED as the change itself does. */
export function resendPendingEmail(
  deps: Deps,
  viewer: { userId: string; authenticatedAt: Date },
): Promise<PendingEmail> {
  const { userId } = viewer;
  return deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    const change = await findEmailChange(trx, { userId, now: deps.clock.now() });
    if (!change) throw new AppError('NOT_FOUND', 'There is no change of your email to confirm');
    assertRecentlyAuthenticated(deps, viewer);
    return askForEmail(deps, trx, { userId, email: change.email });
  });
}

/** The account keeps its address, and links to the new one end. Needs no recent proof, as the account stays as it was. */
export async function cancelPendingEmail(deps: Deps, { userId }: { userId: string }): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    await deleteEmailChange(trx, userId);
    await endVerifications(trx, { userId, among: ['email-change'], now: deps.clock.now() });
  });
}

export function presentEmailChange({ email, asked_at }: EmailChange): PendingEmail {
  const expiresAt = new Date(asked_at.getTime() + purposes['email-change'].lifeMs);
  return { email, expiresAt: expiresAt.toISOString() };
}
