import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/random-token.ts';
import type { Client } from '../../platform/http/client.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { changePassword, findUser } from './accounts.queries.ts';
import { assertNotBlocked } from './assert-not-blocked.ts';
import { assertPasswordOfRole } from './assert-password-of-role.ts';
import type { Device } from './device-cookie.ts';
import { insertDevice } from './devices.queries.ts';
import { findAccountLink, isLinkStale, redeemAccountLink, refuseLink } from './mailed-links.ts';
import { proveEmail } from './prove-email.ts';
import { revokeSessions } from './sessions.queries.ts';
import type { Purpose } from './verifications.queries.ts';

const among: Purpose[] = ['password-reset'];

/**
 * Sets a new password by a mailed link, which also proves the address. Whoever was signed in or half way there is out.
 * Two-factor stays as it is, since a mailbox alone must not be enough to get around it; but as long as the address was
 * proven by nobody, it may be somebody else who set it up. The browser becomes a known device, so that an owner whom
 * strangers keep out gets in by their mailbox. Answers the address, to sign in with. Throws LINK_INVALID.
 */
export async function resetPassword(
  deps: Deps,
  { token, password, client }: { token: string; password: string; client: Client },
): Promise<{ device: Device; email: string }> {
  await assertResettable(deps, { token, password, client });
  const passwordHash = await deps.passwords.hash(password, hashToken(token).toString('hex'));
  return deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const { user } = await redeemAccountLink(trx, { token, among, now });
    const { id: userId, email } = user;
    assertPasswordOfRole(user.role, password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await proveEmail(trx, { userId, email, now });
    await revokeSessions(trx, { userId, now });
    if (!user.email_verified_at) await deleteTwoFactor(trx, userId);
    await enqueueMail(deps, trx, { kind: 'password-changed', recipient: email, userId });
    const device = { userId, token: randomToken() };
    await insertDevice(trx, { device, now });
    return { device, email };
  });
}

/** Before the password is hashed, so that an invalid token costs two reads. The transaction checks all of it again. */
async function assertResettable(
  deps: Deps,
  { token, password, client }: { token: string; password: string; client: Client },
): Promise<void> {
  const link = await findAccountLink(deps.db, { token, among, now: deps.clock.now() });
  const user = link && (await findUser(deps.db, link.user_id));
  if (!user || isLinkStale(link, user)) throw await refuseLink(deps, client);
  assertNotBlocked(user);
  assertPasswordOfRole(user.role, password, 'password');
}
