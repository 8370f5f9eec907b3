import { type Insertable, type Selectable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { type Database, firstRowOf, hasRow, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type Verification = Selectable<Tables['verifications']>;
export type Purpose = Verification['purpose'];

interface PurposeRules {
  /** Time from creation to expiry. */
  lifeMs: number;
  /** Wrong codes allowed; a link alone has no limit, since its token cannot be guessed. */
  maxTries?: number;
  /** Ended by a new password and by the end of all access (a block, another role, an undone e-mail change). */
  endsWithPassword: boolean;
  /** The account must still have the address that the verification was mailed to. */
  endsWithEmail?: boolean;
  path?: `/${string}`;
  /** How long the row is kept after it expired. */
  keptMs: number;
}

const WEEK_MS = 7 * DAY_MS;

const endsWithAccess = { endsWithPassword: true, keptMs: WEEK_MS };

/** The rules in which the purposes differ (docs/security.md). Each verification is used once, before it expires. */
export const purposes: Readonly<Record<Purpose, PurposeRules>> = {
  // Wrong codes count for the account as long as the row is kept.
  login: { lifeMs: 5 * MINUTE_MS, maxTries: 5, endsWithPassword: true, keptMs: 15 * MINUTE_MS },
  'password-reset': { ...endsWithAccess, path: '/reset-password', lifeMs: HOUR_MS, endsWithEmail: true },
  'email-verification': { ...endsWithAccess, path: '/confirm-email', lifeMs: DAY_MS, endsWithEmail: true },
  'email-change': { ...endsWithAccess, path: '/confirm-email', lifeMs: DAY_MS },
  // Not ended by a new password: a thief who changed the address can change the password, too.
  'email-undo': { path: '/undo-email', lifeMs: WEEK_MS, maxTries: 10, endsWithPassword: false, keptMs: WEEK_MS },
  // Not ended by a new password or e-mail: claim-account.ts rejects the link once the address of the order is verified.
  'order-claim': { path: '/claim', lifeMs: WEEK_MS, endsWithPassword: false, keptMs: WEEK_MS },
  'order-lookup': { lifeMs: 10 * MINUTE_MS, maxTries: 5, endsWithPassword: false, keptMs: DAY_MS },
};

const endedByPassword = Object.entries(purposes)
  .filter(([, { endsWithPassword }]) => endsWithPassword)
  .map(([purpose]) => purpose as Purpose);

const isOpen = (now: Date) => sql`used_at IS NULL AND expires_at > ${now}`;

type NewVerification = Omit<Insertable<Tables['verifications']>, 'id' | 'expires_at' | 'used_at'>;

/** Returns the id. The lifetime counts from `now`, which is later than `created_at` if the mail was delayed. */
export async function insertVerification(
  trx: Transaction,
  verification: Partial<NewVerification> & { purpose: Purpose },
  now: Date,
): Promise<string> {
  const id = uuidv7();
  const empty = { user_id: null, order_id: null, email: null, secret_hash: null, created_at: now, used_at: null };
  const expires_at = new Date(now.getTime() + purposes[verification.purpose].lifeMs);
  await trx
    .insertInto('verifications')
    .values({ ...empty, ...verification, id, expires_at })
    .execute();
  return id;
}

/**
 * Stores the hash of the secret. Returns undefined when the verification is used or expired, or has no user and no
 * order.
 */
export const setSecret = (trx: Transaction, { id, secretHash, now }: { id: string; secretHash: Buffer; now: Date }) =>
  firstRowOf<Verification>(trx)`
    UPDATE verifications SET secret_hash = ${secretHash}
    WHERE id = ${id} AND ${isOpen(now)} AND (user_id IS NOT NULL OR order_id IS NOT NULL) RETURNING *`;

/** Returns a verification that is neither used nor expired. */
export function findVerification(
  db: Database,
  { key, among, now }: { key: { id: string } | { secret_hash: Buffer }; among: Purpose[]; now: Date },
): Promise<Verification | undefined> {
  const isKey = 'id' in key ? sql`id = ${key.id}` : sql`secret_hash = ${key.secret_hash}`;
  return firstRowOf<Verification>(db)`
    SELECT * FROM verifications WHERE purpose = ANY (${among}) AND ${isKey} AND ${isOpen(now)}`;
}

/**
 * Counts a try before the code is checked. Returns undefined when no try is left, or the verification is unknown, used
 * or expired.
 */
export const countVerificationTry = (db: Database, { id, purpose, now }: { id: string; purpose: Purpose; now: Date }) =>
  firstRowOf<Verification>(db)`
    UPDATE verifications SET tries = tries + 1
    WHERE id = ${id} AND purpose = ${purpose} AND tries < ${purposes[purpose].maxTries ?? 0} AND ${isOpen(now)}
    RETURNING *`;

/**
 * Marks a verification as used. Of several concurrent calls one returns true; the others wait for its transaction, and
 * return false if it commits. The correct try is subtracted from the count of tries. `secretHash`, if given, replaces
 * the stored hash: with the new secret, a browser can later show that it used the verification.
 */
export const redeemVerification = (
  db: Database,
  { id, secretHash, now }: { id: string; secretHash?: Buffer; now: Date },
) => hasRow(db)`
  UPDATE verifications SET used_at = ${now}, tries = greatest(tries - 1, 0),
    secret_hash = coalesce(${secretHash ?? null}::bytea, secret_hash)
  WHERE id = ${id} AND ${isOpen(now)} RETURNING id`;

/** Lists the logins of a user and an origin with wrong codes that still count, by expiry. */
export const listTriedLogins = (db: Database, userId: string, origin: string, now: Date) => rowsOf<Verification>(db)`
  SELECT * FROM verifications
  WHERE user_id = ${userId} AND purpose = 'login' AND origin = ${origin} AND tries > 0
    AND expires_at > ${new Date(now.getTime() - purposes.login.keptMs)}
  ORDER BY expires_at`;

/** Ends a user's open verifications, by default those that a new password ends. Wrong codes no longer count. */
export async function endVerifications(
  trx: Transaction,
  input: { userId: string; among?: Purpose[]; since?: Date; now: Date },
): Promise<void> {
  const { userId, among = endedByPassword, since = new Date(0), now } = input;
  await sql`
    UPDATE verifications SET used_at = coalesce(used_at, ${now}), tries = 0
    WHERE user_id = ${userId} AND purpose = ANY (${among}) AND (used_at IS NULL OR tries > 0)
      AND created_at >= ${since}`.execute(trx);
}

/** Whether the same kind of link was asked for again since, and mailed. A link whose mail is unsent does not count. */
export const hasNewerLink = (db: Database, { id }: Pick<Verification, 'id'>) => hasRow(db)`
  SELECT FROM verifications AS link JOIN verifications AS newer USING (user_id, purpose)
  WHERE link.id = ${id} AND newer.created_at > link.created_at
    AND NOT EXISTS (SELECT FROM mails WHERE mails.id = newer.mail_id AND sent_at IS NULL)`;

/** Whether an address is reserved for another account, which can still return to it. */
export const isEmailReserved = (
  db: Database,
  { email, userId, now }: { email: string; userId: string | null; now: Date },
) => hasRow(db)`
  SELECT FROM verifications
  WHERE purpose = 'email-undo' AND email = ${email} AND user_id IS DISTINCT FROM ${userId} AND ${isOpen(now)}`;
