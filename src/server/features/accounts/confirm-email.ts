import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { takeTwoFactorSnapshot } from '../authenticators/two-factor-state.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { adoptOrders, deleteEmailChange, findUser, isEmailWanted, updateUser } from './accounts.queries.ts';
import { linkInvalid, redeemAccountLink } from './mailed-links.ts';
import { revokeSessions } from './sessions.queries.ts';
import { assertStillSignedIn } from './start-session.ts';
import { hasNewerLink, insertVerification, type Purpose } from './verifications.queries.ts';

/** Mails a link that verifies the account's own address, unless it is verified. */
export async function verifyEmail(deps: Deps, { userId }: { userId: string }): Promise<void> {
  const user = await findUser(deps.db, userId);
  if (!user || user.email_verified_at) return;
  const mail = { kind: 'email-verification', recipient: user.email, userId } as const;
  await deps.db.transaction().execute((trx) => enqueueMail(deps, trx, mail));
}

/** Sets the verified e-mail of a user, and assigns the address's orders without an owner to the user. */
export async function markEmailVerified(
  trx: Transaction,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<UserRow> {
  // Must come before adoptOrders: an order that is being paid waits for this row, and then sees the verified address.
  // Throws a unique violation when another account has or reserves the address.
  const user = await updateUser(trx, userId, { email, email_verified_at: now });
  await adoptOrders(trx, { userId, email });
  return user;
}

/**
 * Verifies the address of a mailed link for the signed-in account. Requires a session, because a click alone must not
 * verify an address for a stranger who has made an account with it. When the address changes, other sessions end, and
 * the old address gets a mail and stays reserved while the change can be undone. Throws FORBIDDEN, which leaves the
 * link valid, for the link of another account, and if two-factor is newer than the session (takeTwoFactorSnapshot);
 * LINK_INVALID, ACCOUNT_BLOCKED, or EMAIL_TAKEN when another account has taken the address.
 */
export async function confirmEmail(
  deps: Deps,
  { token, userId, sessionId }: { token: string; userId: string; sessionId: string },
): Promise<{ email: string }> {
  const now = deps.clock.now();
  const confirmed = deps.db.transaction().execute(async (trx) => {
    const among: Purpose[] = ['email-change', 'email-verification'];
    const { link, user } = await redeemAccountLink(trx, { token, among, now });
    const { purpose, email } = link;
    if (user.id !== userId) {
      throw new AppError('FORBIDDEN', 'This link is for another account. Sign in to that one to use it.');
    }
    await assertStillSignedIn(deps, trx, { userId, sessionId });
    if (purpose === 'email-change') {
      // A mail that was being made while the change was cancelled may have created a link. Only the newest mailed link is
      // valid. The job that makes it does not end the others, because its mail may never be sent.
      if (!(await isEmailWanted(trx, userId, email)) || (await hasNewerLink(trx, link))) throw linkInvalid();
      await deleteEmailChange(trx, userId);
    }
    await markEmailVerified(trx, { userId, email, now });
    if (email !== user.email) {
      const verificationId = await allowUndo(trx, user, sessionId, now);
      await revokeSessions(trx, { userId, keep: sessionId, now });
      await enqueueMail(deps, trx, { kind: 'email-changed', recipient: user.email, userId, verificationId });
    }
    return { email };
  });
  return confirmed.catch((error: unknown) => {
    throw isEmailTaken(error) ? new AppError('EMAIL_TAKEN', 'Another account has this e-mail address now') : error;
  });
}

/** Whether a transaction failed because another account has taken the address: a unique constraint allows one account. */
export const isEmailTaken = (error: unknown): boolean =>
  (error as { constraint?: string } | null)?.constraint === 'users_email_key';

/**
 * Only for a verified old address; otherwise the undo link would give the account to anybody who reads that address.
 */
async function allowUndo(trx: Transaction, user: UserRow, sessionId: string, now: Date) {
  const { id: userId, email, email_verified_at } = user;
  if (!email_verified_at) return undefined;
  const data = JSON.stringify({ twoFactor: await takeTwoFactorSnapshot(trx, { userId, sessionId }) });
  return insertVerification(trx, { purpose: 'email-undo', user_id: userId, email, data }, now);
}
