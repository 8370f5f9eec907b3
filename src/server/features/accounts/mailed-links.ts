import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import { type Database, latestPast, type Transaction } from '../../platform/database/database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import {
  findVerification,
  insertVerification,
  lockUser,
  type Purpose,
  purposes,
  redeemVerification,
  setSecret,
  type Verification,
} from './accounts.queries.ts';
import { assertNotBlocked } from './sessions.ts';

type LinkDeps = Pick<Deps, 'clock' | 'config'>;

/** Makes a verification and the link of a mail that uses it. Only the link has the token; the database has its hash. */
export async function createLink(
  { clock, config }: LinkDeps,
  trx: Transaction,
  verification: Pick<Verification, 'purpose' | 'mail_id'> &
    Partial<Pick<Verification, 'user_id' | 'order_id' | 'email' | 'created_at'>>,
): Promise<string> {
  const token = randomToken();
  await insertVerification(trx, { ...verification, secret_hash: hashToken(token) }, clock.now());
  return linkWith(config, verification.purpose, token);
}

/** Returns the link of a verification made before its mail; undefined when the verification is used or expired. */
export async function createLinkOf({ clock, config }: LinkDeps, trx: Transaction, id: string) {
  const token = randomToken();
  const verification = await setSecret(trx, { id, secretHash: hashToken(token), now: clock.now() });
  return verification && linkWith(config, verification.purpose, token);
}

const linkWith = (config: Deps['config'], purpose: Purpose, token: string): string =>
  `${config.publicUrl}${purposes[purpose].path}?token=${token}`;

type Token = { token: string; among: Purpose[]; now: Date };

export const findLink = (db: Database, { token, among, now }: Token): Promise<Verification | undefined> =>
  findVerification(db, { key: { secret_hash: hashToken(token) }, among, now });

/** A link of an account's mail: only links of orders have no user. */
export type AccountLink = Verification & { user_id: string; email: string };

export const findAccountLink = (db: Database, token: Token) => findLink(db, token) as Promise<AccountLink | undefined>;

/** Redeems the link of an account mail. Returns it and its user, locked. Throws LINK_INVALID, ACCOUNT_BLOCKED. */
export async function redeemAccountLink(trx: Transaction, token: Token): Promise<{ link: AccountLink; user: UserRow }> {
  const link = await findAccountLink(trx, token);
  if (!link) throw linkInvalid();
  // Locks the user before the link, as a block does. A claim (claim-account.ts) locks its link first: that link belongs
  // to an order and has no user, so no transaction that has locked a user or an order waits for it.
  const user = await lockUser(trx, link.user_id);
  const isUsed = await redeemVerification(trx, { id: link.id, now: token.now });
  if (!isUsed || isLinkStale(link, user, token.now)) throw linkInvalid();
  assertNotBlocked(user);
  return { link, user };
}

/**
 * Whether the account has a new password since the link was requested, or another address than the link was mailed to. A
 * password that was set while the clock was ahead is older than it says.
 */
export function isLinkStale(
  { purpose, email, created_at }: Pick<Verification, 'purpose' | 'email' | 'created_at'>,
  { email: ownEmail, password_changed_at: changedAt }: UserRow,
  now: Date,
): boolean {
  const { endsWithPassword, endsWithEmail } = purposes[purpose];
  if (endsWithPassword && changedAt && changedAt >= created_at && changedAt <= latestPast(now)) return true;
  return endsWithEmail === true && email !== ownEmail;
}

export const linkInvalid = () => new AppError('LINK_INVALID', 'This link has been used or has expired');

/** Counts an invalid token for its IP address. Returns LINK_INVALID, or throws RATE_LIMITED after too many. */
export async function refuseLink({ limits }: Pick<Deps, 'limits'>, { ip }: Client): Promise<AppError> {
  await limits.countRequest('failed-link', { address: ip });
  return linkInvalid();
}
