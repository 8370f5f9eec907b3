import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { deleteTwoFactor } from '../authenticators/authenticators.queries.ts';
import { changePassword, findUserByEmail, getGuestOfOrder, insertUserIfNew, lockUser } from './accounts.queries.ts';
import { assertPasswordOfRole } from './change-password.ts';
import { proveEmail } from './confirm-email.ts';
import { newGuest } from './guest-accounts.ts';
import { findLink, linkInvalid, refuseLink } from './mailed-links.ts';
import { revokeSessions } from './sessions.queries.ts';
import { assertNotBlocked, type NewSession, startSession } from './start-session.ts';
import { type Purpose, redeemVerification } from './verifications.queries.ts';

type Claim = { claimToken: string; password: string; client: Client };

const CLAIM_LINKS: Purpose[] = ['order-claim'];

/**
 * The single-use link of an order's mail proves its address: the account is verified, gets the new password and the
 * orders of the address that nobody owned, and loses what somebody else may have set up. Once the address is proven,
 * these links open nothing: a link that still lies in a mailbox must not be a way around the password.
 */
export async function claimAccount(deps: Deps, input: Claim): Promise<NewSession> {
  await assertClaimable(deps, input);
  const { claimToken: token, password, client } = input;
  const passwordHash = await deps.passwords.hash(password, hashToken(token).toString('hex'));
  const user = await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const link = await redeemClaimLink(trx, token, now);
    if (!link) throw linkInvalid();
    const account = await accountOf(trx, link, now);
    const { id: userId, role, email } = account;
    if (account.email_verified_at) throw linkInvalid();
    assertNotBlocked(account);
    assertPasswordOfRole(role, password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await revokeSessions(trx, { userId, now });
    await deleteTwoFactor(trx, userId);
    return proveEmail(trx, { userId, email, now });
  });
  return startSession(deps, { user, remember: false, client });
}

/** Before the password is hashed, so that an invalid token costs one read. The transaction checks all of it again. */
async function assertClaimable(deps: Deps, { claimToken: token, password, client }: Claim): Promise<void> {
  const link = await findLink(deps.db, { token, among: CLAIM_LINKS, now: deps.clock.now() });
  if (!link?.order_id) throw await refuseLink(deps, client);
  const { contact_email: email } = await getGuestOfOrder(deps.db, link.order_id);
  if (email !== link.email) throw await refuseLink(deps, client);
  const account = await findUserByEmail(deps.db, email);
  if (account?.email_verified_at) throw await refuseLink(deps, client);
  if (account) assertNotBlocked(account);
  assertPasswordOfRole(account?.role ?? 'customer', password, 'password');
}

interface ClaimLink {
  orderId: string;
  /** To which it was mailed. */
  email: string;
}

/** Uses the link of an order's mail; undefined when it was used before, expired or is unknown. */
export async function redeemClaimLink(trx: Transaction, token: string, now: Date): Promise<ClaimLink | undefined> {
  const link = await findLink(trx, { token, among: CLAIM_LINKS, now });
  if (!link?.order_id || !link.email || !(await redeemVerification(trx, { id: link.id, now }))) return undefined;
  return { orderId: link.order_id, email: link.email };
}

/**
 * The account of the order's address, made now if the one that had it has moved to another address since. Throws LINK_INVALID
 * when the order's address was corrected since, also while the account was waited for.
 */
async function accountOf(trx: Transaction, { orderId, email }: ClaimLink, now: Date): Promise<UserRow> {
  const order = await getGuestOfOrder(trx, orderId);
  if (order.contact_email !== email) throw linkInvalid();
  const account = (await insertUserIfNew(trx, newGuest(order, now))) ?? (await lockUserByEmail(trx, email));
  if (account?.email !== email || (await getGuestOfOrder(trx, orderId)).contact_email !== email) throw linkInvalid();
  return account;
}

async function lockUserByEmail(trx: Transaction, email: string): Promise<UserRow | undefined> {
  const known = await findUserByEmail(trx, email);
  return known && lockUser(trx, known.id);
}
