import { type SqlBool, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Role } from '../../../shared/accounts.ts';
import type { SearchOf } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { columnOf, type Database, hasRow, rowsOf, type Transaction } from '../../platform/database/database.ts';
import {
  nameOrEmailContains,
  newestFirst,
  onePage,
  placeOf,
  readCountedPage,
} from '../../platform/database/list-queries.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { accessDenied } from '../../platform/http/client.ts';
import type { AdminActor } from '../../platform/http/route.ts';
import { StartError } from '../../platform/system-errors.ts';
import { markEmailVerified } from '../accounts/account-email.ts';
import {
  changePassword,
  deleteEmailChange,
  endVerifications,
  findUser,
  findUserByEmail,
  insertUserIfNew,
  lockUser,
  updateUser,
} from '../accounts/accounts.queries.ts';
import { assertPasswordOfRole } from '../accounts/change-password.ts';
import { revokeSessions } from '../accounts/sessions.queries.ts';
import { assertRecentlyAuthenticated, assertStillSignedIn } from '../accounts/sessions.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { isShownToBuyer } from '../orders/orders.queries.ts';
import { deleteTwoFactor } from '../two-factor/two-factor.ts';

const isNamed = (q: string) => (q === '' ? sql<SqlBool>`true` : nameOrEmailContains(['users.name', 'users.email'], q));

const newest = newestFirst('users');

export function listUsers(db: Database, { q = '', ...start }: SearchOf<'GET /admin/users'>) {
  const page = sql`SELECT *, ${placeOf(newest)} FROM users WHERE ${isNamed(q)} ${onePage(newest, start)}`;
  return readCountedPage<UserRow>(db, { page, all: sql`SELECT FROM users WHERE ${isNamed(q)}` }, start);
}

export interface Purchases {
  orders: number;
  /** Payments less refunds and lost disputes. */
  spentCents: number;
}

/** What users have bought, by their ids; users without orders are left out. */
export async function sumPurchases(db: Database, userIds: string[]): Promise<Map<string, Purchases>> {
  const rows = await rowsOf<Purchases & { user_id: string }>(db)`
    SELECT user_id, (count(*) FILTER (WHERE ${isShownToBuyer}))::integer AS orders,
      coalesce(sum(total_cents - refunded_cents - lost_cents) FILTER (WHERE state = 'fulfilled'), 0)::float8 AS "spentCents"
    FROM orders WHERE user_id = ANY (${userIds}::uuid[]) GROUP BY user_id`;
  return new Map(rows.map(({ user_id, ...purchases }) => [user_id, purchases]));
}

const isAdministrator = sql`role = 'admin' AND blocked_at IS NULL`;

export const hasAdministrator = (db: Database): Promise<boolean> =>
  hasRow(db)`SELECT FROM users WHERE ${isAdministrator} LIMIT 1`;

export const listAdministrators = (db: Database) =>
  columnOf<string>(db)`SELECT email FROM users WHERE ${isAdministrator} ORDER BY email`;

/** Locks the administrators who are not blocked, so that concurrent changes wait for each other. Returns their ids. */
const lockAdministrators = (trx: Transaction) => columnOf<string>(trx)`
    SELECT id FROM users WHERE ${isAdministrator} ORDER BY id FOR NO KEY UPDATE`;

// updateRole and updateBlock throw REAUTHENTICATION_REQUIRED, NOT_FOUND, FORBIDDEN and VALIDATION_FAILED.

type Change = { userId: string; actor: AdminActor; authenticatedAt: Date };

/**
 * Makes a user an administrator or a customer, and ends all of the user's sessions. A new administrator's address must
 * be verified: if the password is too short for an administrator, logIn requires a new one by mail. Throws LAST_ADMIN.
 */
export async function updateRole(deps: Deps, input: Change & { role: Role }): Promise<void> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, role, actor } = input;
  await deps.db.transaction().execute(async (trx) => {
    const { user, otherAdministrators } = await lockForAdministration(deps, trx, input);
    if (user.role === role) return;
    if (role === 'admin') assertMayAdminister(user);
    else if (otherAdministrators.length === 0) {
      throw new AppError('LAST_ADMIN', 'This is the last administrator: make another user an administrator first');
    }
    await updateUser(trx, userId, { role });
    const now = deps.clock.now();
    await endAccess(trx, { userId, now });
    // An earlier address of the account must not be able to take over an administrator.
    if (role === 'admin') await endVerifications(trx, { userId, among: ['email-undo'], now });
    const action = role === 'admin' ? 'user.made-admin' : 'user.unmade-admin';
    const summary = `${user.email} is ${role === 'admin' ? 'now' : 'no longer'} an administrator`;
    // Without the session, which was checked under the lock: an administrator may have made themself a customer here.
    const { sessionId: _, ...author } = actor;
    await writeAudit(deps, trx, { actor: author, action, subject: { type: 'user', id: userId }, summary });
  });
}

function assertMayAdminister({ blocked_at, email_verified_at }: UserRow): void {
  if (blocked_at) throw new AppError('VALIDATION_FAILED', 'This user is blocked: unblock them first', 'role');
  if (email_verified_at) return;
  // Anybody may have typed this address at a checkout.
  throw new AppError('VALIDATION_FAILED', 'This user has not confirmed their email address yet', 'role');
}

/**
 * Blocks a user, or unblocks them when `reason` is null. Nobody can block themselves, so an administrator remains. A
 * second block replaces the reason; the time of the first is kept.
 */
export async function updateBlock(deps: Deps, input: Change & { reason: string | null }): Promise<void> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, reason, actor } = input;
  await deps.db.transaction().execute(async (trx) => {
    const { user } = await lockForAdministration(deps, trx, input);
    if (actor.userId === userId) throw new AppError('VALIDATION_FAILED', 'You cannot block yourself');
    const now = deps.clock.now();
    const isDone = reason === null ? !user.blocked_at : user.block_reason === reason;
    if (isDone) return;
    const blockedAt = reason === null ? null : (user.blocked_at ?? now);
    await updateUser(trx, userId, { blocked_at: blockedAt, block_reason: reason });
    await endAccess(trx, { userId, now });
    const action = reason === null ? 'user.unblocked' : 'user.blocked';
    const summary = reason === null ? `${user.email} may sign in again` : `${user.email} is blocked: ${reason}`;
    await writeAudit(deps, trx, { actor, action, subject: { type: 'user', id: userId }, summary });
  });
}

/**
 * Returns the user to change and the other administrators, locked in the same sequence by every call. Throws NOT_FOUND,
 * FORBIDDEN when the caller is no longer an administrator, and UNAUTHENTICATED when their session has ended.
 */
async function lockForAdministration(deps: Deps, trx: Transaction, { actor, userId }: Change) {
  const administrators = await lockAdministrators(trx);
  if (!administrators.includes(actor.userId)) throw accessDenied();
  await assertStillSignedIn(deps, trx, actor);
  if (!(await findUser(trx, userId))) throw new AppError('NOT_FOUND', 'User not found');
  const user = await lockUser(trx, userId);
  return { user, otherAdministrators: administrators.filter((id) => id !== userId) };
}

/** Ends sessions, pending logins, a pending change of e-mail, and mailed links. */
async function endAccess(trx: Transaction, { userId, now }: { userId: string; now: Date }): Promise<void> {
  await revokeSessions(trx, { userId, now });
  await deleteEmailChange(trx, userId);
  await endVerifications(trx, { userId, now });
}

const RESERVED =
  'This email address is reserved for an account that had it within the last 7 days and can still return to it';
const ACTOR = { userId: null, name: 'npm run admin:create', ip: '' };

/**
 * Creates an administrator for the operator of the machine, who vouches for the address. An existing account is
 * unblocked, gets the password, and loses its sessions and links. Its two-factor is kept only if the address was
 * verified. Throws VALIDATION_FAILED, StartError.
 */
export async function createAdmin(
  deps: Pick<Deps, 'db' | 'cipher' | 'passwords' | 'clock'>,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<void> {
  assertPasswordOfRole('admin', password, 'password');
  const passwordHash = await deps.passwords.hash(password);
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const fresh = { id: uuidv7(), email, email_verified_at: null, name, password_hash: null, created_at: now };
    const made = await insertUserIfNew(trx, fresh);
    const userId = made?.id ?? (await findUserByEmail(trx, email))?.id;
    if (userId === undefined) throw new StartError(RESERVED);
    const { email_verified_at } = await lockUser(trx, userId);
    if (!email_verified_at) await deleteTwoFactor(trx, userId);
    await changePassword(trx, { userId, passwordHash, now });
    await updateUser(trx, userId, { role: 'admin', blocked_at: null, block_reason: null });
    await markEmailVerified(trx, { userId, email, now });
    await deleteEmailChange(trx, userId);
    await endVerifications(trx, { userId, among: ['email-undo'], now });
    const action = made ? 'user.created' : 'user.made-admin';
    const summary = `${email} is ${made ? 'a new administrator' : 'now an administrator, with a new password'}`;
    await writeAudit(deps, trx, { actor: ACTOR, action, subject: { type: 'user', id: userId }, summary });
  });
}
