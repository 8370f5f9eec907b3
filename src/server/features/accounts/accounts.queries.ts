import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import {
  type Database,
  firstRowOf,
  hasRow,
  latestPast,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { OrderRow, Tables, UserRow } from '../../platform/database/tables.ts';
import { revokeSessions } from './sessions.queries.ts';

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

/** Stores the hash of the secret. Undefined when the verification is used or expired, or has no user and no order. */
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

/** Counts a try before the code is checked. Undefined when no try is left, or the code is unknown, used or expired. */
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

/** Returns the latest end of a login. One that was begun while the clock was ahead ends later, and is over. */
export const latestLoginEnd = (now: Date): Date => new Date(latestPast(now).getTime() + purposes.login.lifeMs);

/** Lists the logins of a user and an origin with wrong codes that still count, by expiry. */
export const listTriedLogins = (db: Database, userId: string, origin: string, now: Date) => rowsOf<Verification>(db)`
  SELECT * FROM verifications
  WHERE user_id = ${userId} AND purpose = 'login' AND origin = ${origin} AND tries > 0
    AND expires_at > ${new Date(now.getTime() - purposes.login.keptMs)}
    AND expires_at <= ${latestLoginEnd(now)}
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
export const hasNewerLink = (db: Database, { id }: Pick<Verification, 'id'>, now: Date) => hasRow(db)`
  SELECT FROM verifications AS link JOIN verifications AS newer USING (user_id, purpose)
  WHERE link.id = ${id} AND newer.created_at > link.created_at AND newer.created_at <= ${latestPast(now)}
    AND NOT EXISTS (SELECT FROM mails WHERE mails.id = newer.mail_id AND sent_at IS NULL)`;

/** Whether an address is reserved for another account, which can still return to it. */
export const isEmailReserved = (
  db: Database,
  { email, userId, now }: { email: string; userId: string | null; now: Date },
) => hasRow(db)`
  SELECT FROM verifications
  WHERE purpose = 'email-undo' AND email = ${email} AND user_id IS DISTINCT FROM ${userId} AND ${isOpen(now)}`;

export const findUser = (db: Database, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

export const findUserByEmail = (db: Database, email: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

/** Inserts a user. Undefined when the e-mail has an account, even uncommitted, or is reserved (0010_verifications). */
export const insertUserIfNew = (trx: Database, user: Insertable<Tables['users']>) => firstRowOf<UserRow>(trx)`
  ${trx.insertInto('users').values(user)} ON CONFLICT (email) DO NOTHING RETURNING *`;

/** Returns the user, locked until the transaction ends (FOR NO KEY UPDATE: new orders may still refer to the row). */
export const lockUser = (trx: Transaction, id: string): Promise<UserRow> =>
  trx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();

export const getOrderOfGuest = (db: Database, id: string): Promise<OrderRow> =>
  db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Assigns the orders of a verified e-mail that have no owner, except pending ones, to its account. */
export const adoptOrders = (trx: Transaction, { email, userId }: { email: string; userId: string }) =>
  sql`
    UPDATE orders SET user_id = ${userId}
    WHERE contact_email = ${email} AND user_id IS NULL AND state <> 'pending'`.execute(trx);

export const updateUser = (db: Database, id: string, changes: Updateable<Tables['users']>): Promise<UserRow> =>
  db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/**
 * Sets the password, or removes it with null. Ends the verifications that a new password ends, and every session except
 * `keep`.
 */
export async function changePassword(
  trx: Transaction,
  { userId, passwordHash, keep, now }: { userId: string; passwordHash: string | null; keep?: string; now: Date },
): Promise<void> {
  await updateUser(trx, userId, { password_hash: passwordHash, password_changed_at: now });
  await endVerifications(trx, { userId, now });
  await revokeSessions(trx, { userId, keep, now });
}

/** The new e-mail that a user asked for, whether or not a link was mailed to it. */
export type EmailChange = Selectable<Tables['email_changes']>;

export const saveEmailChange = (trx: Transaction, change: EmailChange) =>
  sql`
    ${trx.insertInto('email_changes').values(change)}
    ON CONFLICT (user_id) DO UPDATE SET email = excluded.email, asked_at = excluded.asked_at`.execute(trx);

/** Returns the pending change of e-mail of a user. A new password ends the change, as it ends the mailed link. */
export const findEmailChange = (db: Database, userId: string, now: Date) => firstRowOf<EmailChange>(db)`
  SELECT email_changes.* FROM email_changes JOIN users ON users.id = user_id
  WHERE user_id = ${userId} AND asked_at > ${new Date(now.getTime() - purposes['email-change'].lifeMs)}
    AND email_changes.email <> users.email AND (
      password_changed_at IS NULL OR password_changed_at < asked_at OR password_changed_at > ${latestPast(now)})`;

/** Whether the user still wants the address: the change was neither cancelled nor replaced. */
export const isEmailWanted = (db: Database, userId: string, email: string) =>
  hasRow(db)`SELECT FROM email_changes WHERE user_id = ${userId} AND email = ${email}`;

export const deleteEmailChange = (trx: Transaction, userId: string) =>
  trx.deleteFrom('email_changes').where('user_id', '=', userId).execute();
