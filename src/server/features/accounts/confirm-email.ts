import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { takeTwoFactorSnapshot } from '../authenticators/two-factor-state.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { adoptOrders, deleteEmailChange, findUser, isEmailWanted, updateUser } from './accounts.queries.ts';
import { linkInvalid, redeemAccountLink } from './mailed-links.ts';
import { revokeSessions } from './sessions.queries.ts';
import { insertVerification, type Purpose } from './verifications.queries.ts';

/** Mails the link that proves the account's own address, unless that is proven. */
export async function verifyEmail(deps: Deps, { userId }: { userId: string }): Promise<void> {
  const user = await findUser(deps.db, userId);
  if (!user || user.email_verified_at) return;
  const mail = { kind: 'email-verification', recipient: user.email, userId } as const;
  await deps.db.transaction().execute((trx) => enqueueMail(deps, trx, mail));
}

/** The address is proven by a mailed link: the user gets it, and its paid orders that nobody owned. */
export async function proveEmail(
  trx: Transaction,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<UserRow> {
  // First: an order that is just being paid waits for this row, and then sees that the address is proven. Fails on the
  // unique e-mail when it is another account's, or reserved for one.
  const user = await updateUser(trx, userId, { email, email_verified_at: now });
  await adoptOrders(trx, { userId, email });
  return user;
}

/**
 * A mailed link proves its address for the account that is signed in: a click alone must not prove the address for a
 * stranger who has made an account with it. When the address changes, the old one is told, stays reserved while the
 * change can be undone from there, and other sessions end. Throws FORBIDDEN for another account's link, which stays
 * good, LINK_INVALID, or EMAIL_TAKEN when another account has the address by now.
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
    if (purpose === 'email-change') {
      // A mail that was being sent while the change was cancelled leaves a link behind.
      if (!(await isEmailWanted(trx, userId, email))) throw linkInvalid();
      await deleteEmailChange(trx, userId);
    }
    await proveEmail(trx, { userId, email, now });
    if (email !== user.email) {
      const verificationId = await allowUndo(trx, user, now);
      await revokeSessions(trx, { userId, keep: sessionId, now });
      await enqueueMail(deps, trx, { kind: 'email-changed', recipient: user.email, userId, verificationId });
    }
    return { email };
  });
  return confirmed.catch((error: unknown) => {
    // The e-mail is unique in the database, so of two accounts that prove it at once one is refused.
    const taken = (error as { constraint?: string } | null)?.constraint === 'users_email_key';
    throw taken ? new AppError('EMAIL_TAKEN', 'Another account has this e-mail address now') : error;
  });
}

/** Only for an address that is proven to be the owner's: to anybody else the link would give the account away. */
async function allowUndo(trx: Transaction, { id, email, email_verified_at }: UserRow, now: Date) {
  if (!email_verified_at) return undefined;
  const data = JSON.stringify({ twoFactor: await takeTwoFactorSnapshot(trx, id) });
  return insertVerification(trx, { purpose: 'email-undo', user_id: id, email, data }, now);
}
