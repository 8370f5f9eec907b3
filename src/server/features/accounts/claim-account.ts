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
import type { Device } from './device-cookie.ts';
import { findLink, linkInvalid, refuseLink } from './mailed-links.ts';
import { newGuest } from './new-guest.ts';
import { proveEmail } from './prove-email.ts';
import { revokeSessions } from './sessions.queries.ts';
import { startSession } from './start-session.ts';
import { redeemVerification } from './verifications.queries.ts';

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
  const { claimToken: token, password } = input;
  await assertClaimable(deps, input);
  const passwordHash = await deps.passwords.hash(password, hashToken(token).toString('hex'));
  const user = await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const orderId = await redeemClaimLink(trx, { token, now });
    if (orderId === undefined) throw linkInvalid();
    const account = await accountOf(trx, orderId, now);
    const { id: userId, role, email } = account;
    if (account.email_verified_at) throw linkInvalid();
    assertNotBlocked(account);
    assertPasswordOfRole(role, password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await revokeSessions(trx, { userId, now });
    await deleteTwoFactor(trx, userId);
    return proveEmail(trx, { userId, email, now });
  });
  const session = await startSession(deps, { user, remember: false, client: input.client });
  return { ...session, user };
}

/** Before the password is hashed, so that an invalid token costs one read. The transaction checks all of it again. */
async function assertClaimable(
  deps: Deps,
  { claimToken: token, password, client }: { claimToken: string; password: string; client: Client },
): Promise<void> {
  const link = await findLink(deps.db, { token, among: ['order-claim'], now: deps.clock.now() });
  if (!link?.order_id) throw await refuseLink(deps, client);
  const account = await findUserByEmail(deps.db, (await getOrder(deps.db, link.order_id)).contact_email);
  if (account?.email_verified_at) throw await refuseLink(deps, client);
  if (account) assertNotBlocked(account);
  assertPasswordOfRole(account?.role ?? 'customer', password, 'password');
}

/** Uses the link of an order's mail and answers its order; undefined when it was used before, expired or is unknown. */
export async function redeemClaimLink(
  trx: Transaction,
  { token, now }: { token: string; now: Date },
): Promise<string | undefined> {
  const link = await findLink(trx, { token, among: ['order-claim'], now });
  if (!link?.order_id || !(await redeemVerification(trx, { id: link.id, now }))) return undefined;
  return link.order_id;
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
