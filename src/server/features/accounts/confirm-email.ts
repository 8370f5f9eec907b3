import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { takeTwoFactorSnapshot } from '../authenticators/two-factor-snapshot.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { deleteEmailChange, isEmailWanted } from './email-changes.queries.ts';
import { linkInvalid, redeemAccountLink } from './mailed-links.ts';
import { proveEmail } from './prove-email.ts';
import { revokeSessions } from './sessions.queries.ts';
import { insertVerification, type Purpose } from './verifications.queries.ts';

/**
 * The click on a mailed link proves the address it was sent to, for the account it came from: whoever owns the mailbox
 * alone must not prove it for a stranger who has made an account with it. An account that changes to the address tells
 * its old one, which stays reserved while the change can be undone from there, and loses its other sessions. Throws
 * FORBIDDEN for another account's link, which stays good, LINK_INVALID, or EMAIL_TAKEN when another account has got the
 * address since.
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
      if (!(await isEmailWanted(trx, { userId, email }))) throw linkInvalid();
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
    throw refusalOf(error);
  });
}

/** The address is unique in the database, so that of two who prove it at once one is told so. */
function refusalOf(error: unknown): unknown {
  const taken = (error as { constraint?: string } | null)?.constraint === 'users_email_key';
  return taken ? new AppError('EMAIL_TAKEN', 'Another account has this e-mail address now') : error;
}

/** Only for an address that is proven to be the owner's: to anybody else the link would give the account away. */
async function allowUndo(
  trx: Transaction,
  { id, email, email_verified_at }: UserRow,
  now: Date,
): Promise<string | undefined> {
  if (!email_verified_at) return undefined;
  const data = JSON.stringify({ twoFactor: await takeTwoFactorSnapshot(trx, id) });
  return insertVerification(trx, { purpose: 'email-undo', user_id: id, email, data }, now);
}
