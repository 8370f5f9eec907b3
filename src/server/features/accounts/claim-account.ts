import type { Insertable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { GuestAccess } from '../../../shared/checkout.ts';
import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow, Tables, UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { deleteTwoFactor, isTwoFactorEnabled } from '../two-factor/two-factor.ts';
import { markEmailVerified } from './account-email.ts';
import {
  changePassword,
  findUser,
  findUserByEmail,
  getOrderOfGuest,
  insertUserIfNew,
  lockUser,
  type Purpose,
  redeemVerification,
  updateUser,
} from './accounts.queries.ts';
import { assertPasswordOfRole } from './change-password.ts';
import { findLink, linkInvalid, refuseLink } from './mailed-links.ts';
import { assertNotBlocked, type NewSession, startSession } from './sessions.ts';

type Claim = { claimToken: string; password: string; client: Client };

const CLAIM_LINKS: Purpose[] = ['order-claim'];

/**
 * Gives the account of an order's address to the person who reads its mail, as proven by the single-use link. The
 * account becomes verified, gets the new password and the address's orders without an owner, and loses its sessions and
 * its second factor, which somebody else may have set up. Once the address is verified, these links are rejected: a
 * link in an old mail must not bypass the password. Throws LINK_INVALID, ACCOUNT_BLOCKED, RATE_LIMITED, and
 * VALIDATION_FAILED for a password that is too short for an administrator.
 */
export async function claimAccount(deps: Deps, input: Claim): Promise<NewSession> {
  await assertClaimable(deps, input);
  const { claimToken: token, password, client } = input;
  const passwordHash = await deps.passwords.hash(password, hashToken(token).toString('hex'));
  return deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const link = await redeemClaimLink(trx, token, now);
    if (!link) throw linkInvalid();
    const account = await accountOf(trx, link, now);
    const { id: userId, role, email } = account;
    if (account.email_verified_at) throw linkInvalid();
    assertNotBlocked(account);
    assertPasswordOfRole(role, password, 'password');
    await changePassword(trx, { userId, passwordHash, now });
    await deleteTwoFactor(trx, userId);
    const user = await markEmailVerified(trx, { userId, email, now });
    return startSession(deps, trx, { user, client });
  });
}

/** Checks the link before the password is hashed: an invalid token costs one read. The transaction checks all again. */
async function assertClaimable(deps: Deps, { claimToken: token, password, client }: Claim): Promise<void> {
  const link = await findLink(deps.db, { token, among: CLAIM_LINKS, now: deps.clock.now() });
  if (!link?.order_id) throw await refuseLink(deps, client);
  const { contact_email: email } = await getOrderOfGuest(deps.db, link.order_id);
  if (email !== link.email) throw await refuseLink(deps, client);
  const account = await findUserByEmail(deps.db, email);
  if (account?.email_verified_at) throw await refuseLink(deps, client);
  if (account) assertNotBlocked(account);
  assertPasswordOfRole(account?.role ?? 'customer', password, 'password');
}

interface ClaimLink {
  orderId: string;
  /** The address to which the link was mailed. */
  email: string;
}

/**
 * Redeems the link of an order's mail. Returns undefined for a link that is used, expired or unknown. Of two concurrent
 * calls, the second waits for the first one's transaction, and gets undefined if it commits.
 */
export async function redeemClaimLink(trx: Transaction, token: string, now: Date): Promise<ClaimLink | undefined> {
  const link = await findLink(trx, { token, among: CLAIM_LINKS, now });
  if (!link?.order_id || !link.email || !(await redeemVerification(trx, { id: link.id, now }))) return undefined;
  return { orderId: link.order_id, email: link.email };
}

/**
 * Returns the locked account of the order's address, or a new one if none has it any more. Throws LINK_INVALID when the
 * order's address was corrected since the mail, which is checked again under the account's lock.
 */
async function accountOf(trx: Transaction, { orderId, email }: ClaimLink, now: Date): Promise<UserRow> {
  const order = await getOrderOfGuest(trx, orderId);
  if (order.contact_email !== email) throw linkInvalid();
  const account = (await insertUserIfNew(trx, newGuest(order, now))) ?? (await lockUserByEmail(trx, email));
  if (account?.email !== email || (await getOrderOfGuest(trx, orderId)).contact_email !== email) throw linkInvalid();
  return account;
}

async function lockUserByEmail(trx: Transaction, email: string): Promise<UserRow | undefined> {
  const known = await findUserByEmail(trx, email);
  return known && lockUser(trx, known.id);
}

/**
 * Returns the owner of a paid order: the signed-in buyer; for a guest, a new account without a password, or one with a
 * verified e-mail. Otherwise nobody owns the order until its mailed link is used (claimAccount, docs/security.md).
 */
export async function ownerOfPaidOrder(trx: Transaction, order: OrderRow, now: Date) {
  if (order.user_id !== null) return { userId: order.user_id, madeAccount: order.made_account };
  const made = await insertUserIfNew(trx, newGuest(order, now));
  if (made) return { userId: made.id, madeAccount: true };
  const known = await findUserByEmail(trx, order.contact_email);
  return { userId: known?.email_verified_at ? known.id : null, madeAccount: false };
}

/** Returns the row of a guest's new account, without a password and with an unverified e-mail. */
const newGuest = (order: OrderRow, now: Date): Insertable<Tables['users']> => ({
  id: uuidv7(),
  email: order.contact_email,
  email_verified_at: null,
  name: order.guest_name,
  phone: order.guest_phone,
  password_hash: null,
  created_at: now,
  ...addressOf(order),
});

/** The shipping address becomes the address of the new account; an order without physical goods has none. */
const addressOf = (order: OrderRow) =>
  order.shipping_street !== null && {
    street: order.shipping_street,
    city: order.shipping_city ?? '',
    state: order.shipping_state ?? '',
    zip_code: order.shipping_zip_code ?? '',
    ...(order.shipping_country !== null && { country: order.shipping_country }),
  };

type OpenedAccount = { access: Exclude<GuestAccess, 'signed-in'> } | ({ access: 'signed-in' } & NewSession);

interface Guest {
  order: OrderRow;
  boundBrowser: boolean;
  password: string;
  client: Client;
}

/**
 * Decides how a guest reaches the items of a fulfilled order (docs/security.md). The browser with the order's checkout
 * cookie sets the password of the account that this order made, and is signed in. A repeated call with the same
 * password signs in again, unless the account now has two-factor, is blocked or is an administrator's. An account that
 * existed before the order is never changed: a verified account already owns the order, an unverified account gets a
 * mailed link. Wrong passwords count like those of a known device. Throws RATE_LIMITED, after which the order is still
 * finished.
 */
export async function openGuestAccount(deps: Deps, guest: Guest): Promise<OpenedAccount> {
  const { order, boundBrowser } = guest;
  if (order.user_id === null) return { access: 'check-mail' };
  if (!order.made_account) return { access: 'sign-in' };
  if (!boundBrowser) return { access: 'check-mail' };
  return signInGuest(deps, order.user_id, guest);
}

async function signInGuest(deps: Deps, userId: string, guest: Guest): Promise<OpenedAccount> {
  const { order, password, client } = guest;
  const known = await findUser(deps.db, userId);
  if (!known || !isOpenToGuest(known)) return { access: 'sign-in' };
  const firstHash = known.password_hash === null && (await deps.passwords.hash(password, order.id));
  if (!firstHash && !(await isOwnPassword(deps, known, guest))) return { access: 'sign-in' };

  const opened = await deps.db.transaction().execute(async (trx): Promise<OpenedAccount | 'changed'> => {
    const locked = await lockUser(trx, userId);
    if (locked.password_hash !== known.password_hash) return 'changed';
    // The owner may have verified the e-mail or turned two-factor on during the check.
    if (!isOpenToGuest(locked) || (await isTwoFactorEnabled(trx, userId))) return { access: 'sign-in' };
    const user = firstHash ? await updateUser(trx, userId, { password_hash: firstHash }) : locked;
    return { access: 'signed-in', ...(await startSession(deps, trx, { user, client })) };
  });
  if (opened !== 'changed') return opened;
  // A concurrent call has set the first password, so this call checks it. A later password was changed by the owner.
  return firstHash ? signInGuest(deps, userId, guest) : { access: 'sign-in' };
}

/** False once the owner has verified the e-mail or changed the password: the payer's browser may not guess one. */
const isOpenToGuest = ({ email_verified_at, password_changed_at, blocked_at, role }: UserRow): boolean =>
  !email_verified_at && !password_changed_at && !blocked_at && role !== 'admin';

const isOwnPassword = (deps: Deps, { password_hash }: UserRow, { order, password }: Guest): Promise<boolean> =>
  deps.limits.countFailures('guest-password', { device: order.id }, () =>
    deps.passwords.verify(password_hash, password, order.id),
  );
