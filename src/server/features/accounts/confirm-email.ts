import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { proveEmail } from './prove-email.ts';
import { redeemAccountLink } from './redeem-account-link.ts';
import { revokeSessions } from './sessions.queries.ts';

/**
 * The click on a mailed link proves the address it was sent to. An account that changes to it tells its old address and
 * loses its sessions, but for `ownSession`, from which the click came. Throws LINK_INVALID, or EMAIL_TAKEN when another
 * account has got the address since.
 */
export async function confirmEmail(
  deps: Deps,
  { token, ownSession }: { token: string; ownSession: string | undefined },
): Promise<{ email: string }> {
  const now = deps.clock.now();
  const confirmed = deps.db.transaction().execute(async (trx) => {
    const { link, user } = await redeemAccountLink(trx, {
      token,
      kinds: ['email-change', 'email-verification'],
      now,
    });
    const { id: userId, email: oldEmail } = user;
    await proveEmail(trx, { userId, email: link.email, now });
    if (link.email !== oldEmail) {
      await revokeSessions(trx, { userId, keep: ownSession, now });
      await enqueueMail(deps, trx, { kind: 'email-changed', recipient: oldEmail, userId });
    }
    return { email: link.email };
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
