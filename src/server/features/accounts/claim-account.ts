import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/random-token.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow, UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { changePassword, findUserByEmail, insertUserIfNew, lockUser } from './accounts.queries.ts';
import { assertNotBlocked } from './assert-not-blocked.ts';
import { assertPasswordOfRole } from './assert-password-of-role.ts';
import { findClaimLink, useClaimLink } from './claim-links.queries.ts';
import type { Device } from './device-cookie.ts';
import { linkInvalid, refuseLink } from './link-refusals.ts';
import { newGuest } from './new-guest.ts';
import { dropPendingLogins } from './pending-logins.queries.ts';
import { proveEmail } from './prove-email.ts';
import { revokeSessions } from './sessions.queries.ts';
import { startSession } from './start-session.ts';

/**
 * The single-use link of an order's mail proves its address for the first time: the account is verified, gets the new
 * password and the orders of that address that nobody owned, and loses whatever somebody else may have set up before,
 * every session, pending login, asked-for link and second factor. Once the address is proven, these links open nothing
 * any more: its owner signs in, and a link that is still lying in a mailbox must not be a way around their password.
 */
export async function claimAccount(
  deps: Deps,
  input: { claimToken: string; password: string; client: Client },
): Promise<{ token: string; user: UserRow; device: Device }> {
  const tokenHash = hashToken(input.claimToken);
  await assertClaimable(deps, { ...input, tokenHash });
  const passwordHash = await deps.passwords.hash(input.password, tokenHash.toString('hex'));
  const user = await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const link = await useClaimLink(trx, { tokenHash, now });
    if (!link) throw linkInvalid();
    const account = await accountOf(trx, link.order_id, now);
    const { id: userId, role, email } = account;
    if (account.email_verified_at) throw linkInvalid();
    assertNotBlocked(account);
    assertPasswordOfRole(role, input.password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await revokeSessions(trx, { userId, now });
    await dropPendingLogins(trx, userId);
    await deleteTwoFactor(trx, userId);
    return proveEmail(trx, { userId, email, now });
  });
  const session = await startSession(deps, { user, remember: false, client: input.client });
  return { ...session, user };
}

/** Before the password is hashed, so that a bad token costs one read. The transaction checks all of it again. */
async function assertClaimable(
  deps: Deps,
  { tokenHash, password, client }: { tokenHash: Buffer; password: string; client: Client },
): Promise<void> {
  const claim = await findClaimLink(deps.db, { tokenHash, now: deps.clock.now() });
  if (!claim || claim.email_verified_at) throw await refuseLink(deps, client);
  assertNotBlocked(claim);
  assertPasswordOfRole(claim.role ?? 'customer', password, 'password');
}

/** The account of the order's address, made now if the one that had it has moved to another address since. */
async function accountOf(trx: Transaction, orderId: string, now: Date): Promise<UserRow> {
  const order: OrderRow = await getOrder(trx, orderId);
  const made = await insertUserIfNew(trx, newGuest(order, now));
  if (made) return made;
  const known = await findUserByEmail(trx, order.contact_email);
  if (!known) throw linkInvalid();
  return lockUser(trx, known.id);
}
