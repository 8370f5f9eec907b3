import type { PendingEmail } from '../../../shared/accounts.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Actor, Client, Viewer } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import { assertCode, restoreTwoFactor, takeTwoFactorSnapshot } from '../two-factor/two-factor.ts';
import {
  adoptOrders,
  changePassword,
  countVerificationTry,
  deleteEmailChange,
  type EmailChange,
  endVerifications,
  findEmailChange,
  findUser,
  hasNewerLink,
  insertVerification,
  isEmailWanted,
  lockUser,
  type Purpose,
  purposes,
  redeemVerification,
  saveEmailChange,
  updateUser,
} from './accounts.queries.ts';
import { type AccountLink, findAccountLink, linkInvalid, redeemAccountLink, refuseLink } from './mailed-links.ts';
import { assertNotBlocked, assertRecentlyAuthenticated, assertStillSignedIn, endOtherLogins } from './sessions.ts';

type Details = Pick<UserRow, 'name' | 'phone' | 'street' | 'city' | 'state' | 'zip_code' | 'country'>;

/**
 * Saves the details of a user. A new e-mail takes effect when the link mailed to it is used. Until then the response is
 * the same whether or not the address has an account. Throws REAUTHENTICATION_REQUIRED.
 */
export function updateDetails(
  deps: Deps,
  input: { userId: string; sessionId: string; authenticatedAt: Date; email: string; details: Details },
): Promise<{ user: UserRow; pendingEmail: string | null }> {
  const { userId, email, details } = input;
  assertRecentlyAuthenticated(deps, input);
  return deps.db.transaction().execute(async (trx) => {
    const user = await updateUser(trx, userId, details);
    await assertStillSignedIn(deps, trx, input);
    if (user.email === email) return { user, pendingEmail: null };
    await askForEmail(deps, trx, userId, email);
    return { user, pendingEmail: email };
  });
}

/** Saves the requested new address, and enqueues the mail with the link that confirms it. */
async function askForEmail(deps: Deps, trx: Transaction, userId: string, email: string): Promise<PendingEmail> {
  const change = { user_id: userId, email, asked_at: deps.clock.now() };
  await saveEmailChange(trx, change);
  await enqueueMail(deps, trx, { kind: 'email-change', recipient: email, userId });
  return presentEmailChange(change);
}

/** Mails the link again. Throws NOT_FOUND without a pending change, REAUTHENTICATION_REQUIRED like updateDetails. */
export function resendPendingEmail(deps: Deps, viewer: Viewer): Promise<PendingEmail> {
  const { userId } = viewer;
  return deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    await assertStillSignedIn(deps, trx, viewer);
    const found = await findEmailChange(trx, userId, deps.clock.now());
    const change = orNotFound(found, 'You have no pending change of your email');
    assertRecentlyAuthenticated(deps, viewer);
    return askForEmail(deps, trx, userId, change.email);
  });
}

/** Cancels a pending change of e-mail and its links. Requires no recent proof, because the account does not change. */
export async function cancelPendingEmail(deps: Deps, { userId }: { userId: string }): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    await deleteEmailChange(trx, userId);
    await endVerifications(trx, { userId, among: ['email-change'], now: deps.clock.now() });
  });
}

export function presentEmailChange({ email, asked_at }: EmailChange): PendingEmail {
  const expiresAt = new Date(asked_at.getTime() + purposes['email-change'].lifeMs);
  return { email, expiresAt: expiresAt.toISOString() };
}

/**
 * Restores the old address of an account by the link that was mailed to it, in case a thief changed the address. Ends
 * all sessions, pending logins and links, and removes the password: the owner sets a new one by mail. Restores
 * two-factor as it was before the change. If two-factor was on then, a code is required, with at most ten tries;
 * without a code, returns null and changes nothing. Throws LINK_INVALID, INVALID_CODE, ACCOUNT_BLOCKED, RATE_LIMITED.
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
  // Counts the try before the transaction, which a wrong code rolls back.
  if (asksForCode && !(await countVerificationTry(deps.db, { id: link.id, purpose: 'email-undo', now })))
    throw linkInvalid();
  await undo(deps, link, { code: asksForCode ? code : undefined, ip: client.ip, now });
  return { email: link.email };
}

async function undo(
  deps: Deps,
  link: AccountLink,
  { code, ip, now }: { code: string | undefined; ip: string; now: Date },
): Promise<void> {
  const { id, user_id: userId, email, data, created_at: since } = link;
  await deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, userId);
    if (!(await redeemVerification(trx, { id, now }))) throw linkInvalid();
    assertNotBlocked(user);
    await restoreTwoFactor(trx, userId, data.twoFactor ?? null);
    if (code !== undefined) await assertCode(deps, trx, { userId, code });
    await endVerifications(trx, { userId, among: ['email-undo'], since, now });
    await changePassword(trx, { userId, passwordHash: null, now });
    await markEmailVerified(trx, { userId, email, now });
    await enqueueMail(deps, trx, { kind: 'email-restored', recipient: email, userId });
    if (user.email !== email) {
      await enqueueMail(deps, trx, { kind: 'email-change-undone', recipient: user.email, userId });
      await auditNewEmail(deps, trx, user, { email, actor: { userId, name: email, ip } });
    }
  });
}

/** The audit log names administrators by their e-mail, so it tells under which one they act from now on. */
async function auditNewEmail(
  deps: Deps,
  trx: Transaction,
  { id, role, email: earlier }: UserRow,
  { email, actor }: { email: string; actor: Actor },
): Promise<void> {
  if (role !== 'admin') return;
  const summary = `${earlier} has the email ${email} from now on`;
  await writeAudit(deps, trx, { actor, action: 'user.email-changed', subject: { type: 'user', id }, summary });
}

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
 * verify an address for a stranger who has made an account with it. When the address changes, other sessions and logins
 * that wait for their code end, and the old address gets a mail and stays reserved while the change can be undone.
 * Throws FORBIDDEN, which leaves the link valid, for the link of another account, and if two-factor is newer than the
 * session (takeTwoFactorSnapshot); LINK_INVALID, ACCOUNT_BLOCKED, or EMAIL_TAKEN when another account has taken the
 * address.
 */
export async function confirmEmail(
  deps: Deps,
  { token, userId, sessionId, ip }: { token: string; userId: string; sessionId: string; ip: string },
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
      if (!(await isEmailWanted(trx, userId, email)) || (await hasNewerLink(trx, link, now))) throw linkInvalid();
      await deleteEmailChange(trx, userId);
    }
    await markEmailVerified(trx, { userId, email, now });
    if (email !== user.email) {
      const verificationId = await allowUndo(trx, user, sessionId, now);
      await endOtherLogins(trx, { userId, sessionId, now });
      await enqueueMail(deps, trx, { kind: 'email-changed', recipient: user.email, userId, verificationId });
      await auditNewEmail(deps, trx, user, { email, actor: { userId, sessionId, name: user.email, ip } });
    }
    return { email };
  });
  return confirmed.catch((error: unknown) => {
    throw isEmailTaken(error) ? new AppError('EMAIL_TAKEN', 'Another account has this email address now') : error;
  });
}

/** Whether a transaction failed because another account has taken the address: a unique constraint allows one account. */
export const isEmailTaken = (error: unknown): boolean =>
  (error as { constraint?: string } | null)?.constraint === 'users_email_key';

/** Only for a verified old address: the undo link would give the account to anybody who reads that address. */
async function allowUndo(trx: Transaction, user: UserRow, sessionId: string, now: Date) {
  const { id: userId, email, email_verified_at } = user;
  if (!email_verified_at) return undefined;
  const data = JSON.stringify({ twoFactor: await takeTwoFactorSnapshot(trx, { userId, sessionId }) });
  return insertVerification(trx, { purpose: 'email-undo', user_id: userId, email, data }, now);
}
