import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Client } from '../../platform/http/client.ts';
import { acceptCode } from '../authenticators/codes.ts';
import { restoreTwoFactor } from '../authenticators/two-factor-state.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { changePassword, lockUser } from './accounts.queries.ts';
import { proveEmail } from './confirm-email.ts';
import { type AccountLink, findAccountLink, linkInvalid, refuseLink } from './mailed-links.ts';
import { revokeSessions } from './sessions.queries.ts';
import { assertNotBlocked } from './start-session.ts';
import { countTry, endVerifications, redeemVerification } from './verifications.queries.ts';

/**
 * Gives an account its old address back by the link that was mailed there when it changed, in case a thief changed it.
 * Whatever a thief may have then ends: all sessions, pending logins, links, the links of later changes, and the password,
 * in whose place a new one is chosen by mail. Two-factor is as it was before the change; where it was on, a code of it is
 * asked for, at most ten times. Answers null, with nothing undone, while that code is missing. Throws LINK_INVALID,
 * INVALID_CODE, ACCOUNT_BLOCKED, RATE_LIMITED.
 */
export async function undoEmailChange(
  deps: Deps,
  { token, code, client }: { token: string; code: string | undefined; client: Client },
): Promise<{ email: string } | null> {
  const now = deps.clock.now();
  const link = await findAccountLink(deps.db, { token, among: ['email-undo'], now });
  if (!link) throw await refuseLink(deps, client);
  const asksForCode = (link.data.twoFactor ?? null) !== null;
  if (asksForCode && code === undefined) return null;
  // Counted by itself, as a wrong code rolls back what follows.
  if (asksForCode && !(await countTry(deps.db, { id: link.id, purpose: 'email-undo', now }))) {
    throw linkInvalid();
  }
  await undo(deps, { link, code: asksForCode ? code : undefined, now });
  return { email: link.email };
}

async function undo(
  deps: Deps,
  { link, code, now }: { link: AccountLink; code: string | undefined; now: Date },
): Promise<void> {
  const { id, user_id: userId, email, data, created_at: since } = link;
  await deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId);
    if (!(await redeemVerification(trx, { id, now }))) throw linkInvalid();
    assertNotBlocked(user);
    await restoreTwoFactor(trx, { userId, snapshot: data.twoFactor ?? null });
    if (code !== undefined && !(await acceptCode(deps, trx, { userId, code }))) {
      throw new AppError('INVALID_CODE', 'Invalid 2FA code');
    }
    await endVerifications(trx, { userId, among: ['email-undo'], since, now });
    await changePassword(trx, { userId, passwordHash: null, now });
    await proveEmail(trx, { userId, email, now });
    await revokeSessions(trx, { userId, now });
    await enqueueMail(deps, trx, { kind: 'email-restored', recipient: email, userId });
    if (user.email !== email) {
      await enqueueMail(deps, trx, { kind: 'email-change-undone', recipient: user.email, userId });
    }
  });
}
