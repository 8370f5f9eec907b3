import { AppError } from '../../../shared/errors.ts';
import { ADMIN_PASSWORD_MIN_LENGTH, lengthOfPassword } from '../../../shared/passwords.ts';
import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { type Client, sessionExpired } from '../../platform/http/client.ts';
import { tooManyRequests } from '../../platform/rate-limits/rate-limits.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { acceptCode, isTwoFactorEnabled, wrongTwoFactorCode } from '../two-factor/two-factor.ts';
import {
  countVerificationTry,
  findUserByEmail,
  findVerification,
  insertVerification,
  latestLoginEnd,
  listTriedLogins,
  lockUser,
  purposes,
  redeemVerification,
  type Verification,
} from './accounts.queries.ts';
import { type Device, findDevice } from './sessions.queries.ts';
import { assertNotBlocked, type NewSession, startSession } from './sessions.ts';

const TRIES_PER_ACCOUNT = 10;

type Caller = { client: Client; device: Device | undefined };

interface LogIn extends Caller {
  email: string;
  password: string;
  remember: boolean;
}

/** Signs in by password; with two-factor only the first step. Wrong password and unknown e-mail cost the same work. */
export async function logIn(deps: Deps, input: LogIn): Promise<NewSession | { pendingToken: string }> {
  const { email, password, remember, client, device } = input;
  const deviceHash = device && (await findDevice(deps.db, { device, email, now: deps.clock.now() }));
  const known = await checkPassword(deps, input, deviceHash);
  return deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, known.id);
    // The password was changed during the check. The change has ended all sessions, so no new one may start.
    if (user.password_hash !== known.password_hash) throw invalidCredentials();
    assertNotBlocked(user);
    // A customer who became an administrator may still have a password that is too short.
    if (user.role === 'admin' && lengthOfPassword(password) < ADMIN_PASSWORD_MIN_LENGTH) {
      throw new AppError('VALIDATION_FAILED', TOO_SHORT, 'password');
    }
    if (await isTwoFactorEnabled(trx, user.id)) {
      return { pendingToken: await openPending(deps, trx, { user, remember, deviceHash }) };
    }
    return signIn(deps, trx, { user, remember, client, device });
  });
}

/**
 * A known device counts only its own failures. Other tries count for the account, right or wrong, and failures also for
 * the IP address.
 */
function checkPassword(deps: Deps, { email, password, client, device }: LogIn, deviceHash: Buffer | undefined) {
  const holder = deviceHash && device?.userId;
  const check = async () => {
    const user = await findUserByEmail(deps.db, email);
    const right = await deps.passwords.verify(user?.password_hash ?? null, password, holder);
    if (!user || !right) throw invalidCredentials();
    return user;
  };
  if (deviceHash) return deps.limits.countFailures('device-login', { device: deviceHash.toString('hex') }, check);
  return deps.limits.countFailures('failed-login', { address: client.ip, account: email }, check);
}

async function openPending(
  { clock, pendingTokens }: Deps,
  trx: Transaction,
  { user, remember, deviceHash }: { user: UserRow; remember: boolean; deviceHash: Buffer | undefined },
): Promise<string> {
  const now = clock.now();
  const origin = deviceHash?.toString('hex') ?? '';
  const login = { purpose: 'login', user_id: user.id, origin, data: JSON.stringify({ remember }) } as const;
  const id = await insertVerification(trx, login, now);
  const expiresAt = new Date(now.getTime() + purposes.login.lifeMs);
  return pendingTokens.sign({ pendingLoginId: id, expiresAt });
}

/**
 * Completes a login by a two-factor code. Locks the user, so that all concurrent guesses are counted. Throws
 * UNAUTHENTICATED when the first step must be repeated, INVALID_CODE, ACCOUNT_BLOCKED, and RATE_LIMITED after 5 wrong
 * codes in a login or 10 in an account. Wrong codes on a known device are counted separately, so that nobody else can
 * lock out the owner.
 */
export async function finishLogin(deps: Deps, input: Caller & { pendingToken: string; twoFactorToken: string }) {
  const { pendingLoginId: id } = await deps.pendingTokens.verify(input.pendingToken);
  const now = deps.clock.now();
  const begun = await getOpenLogin(deps.db, id, now);
  const isKnown = input.device && begun.origin === hashToken(input.device.token).toString('hex');
  const device = isKnown ? input.device : undefined;
  const session = await deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, begun.user_id);
    await getOpenLogin(trx, id, now);
    await assertTryLeft(trx, begun, now);
    await countVerificationTry(trx, { id, purpose: 'login', now });
    if (!(await acceptCode(deps, trx, { userId: user.id, code: input.twoFactorToken }))) return undefined;
    await redeemVerification(trx, { id, now });
    const { remember = false } = begun.data;
    return signIn(deps, trx, { user, remember, client: input.client, device });
  });
  // Thrown after the transaction: inside, it would roll back the counted try.
  if (!session) throw wrongTwoFactorCode();
  return session;
}

type PendingLogin = Verification & { user_id: string };

async function getOpenLogin(db: Database, id: string, now: Date): Promise<PendingLogin> {
  const login = await findVerification(db, { key: { id }, among: ['login'], now });
  if (!login || login.expires_at > latestLoginEnd(now)) throw sessionExpired();
  const leftMs = login.expires_at.getTime() - now.getTime();
  if (login.tries >= (purposes.login.maxTries ?? 0)) throw tooManyRequests(leftMs);
  return login as PendingLogin;
}

async function assertTryLeft(trx: Transaction, begun: PendingLogin, now: Date): Promise<void> {
  const tried = await listTriedLogins(trx, begun.user_id, begun.origin, now);
  const [oldest] = tried;
  const tries = tried.reduce((sum, login) => sum + login.tries, 0);
  if (!oldest || tries < TRIES_PER_ACCOUNT) return;
  throw tooManyRequests(oldest.expires_at.getTime() + purposes.login.keptMs - now.getTime());
}

/**
 * Starts the session. Writes an audit entry for administrators only: a customer's sign-ins are private. Looks up the
 * device again, which may have been forgotten since, or whose cookie may name another account.
 */
async function signIn(deps: Deps, trx: Transaction, input: Caller & { user: UserRow; remember: boolean }) {
  const { user, client, device } = input;
  const isKnown = device && (await findDevice(trx, { device, email: user.email, now: deps.clock.now() }));
  const session = await startSession(deps, trx, { ...input, device: isKnown && device });
  if (user.role === 'admin') {
    const actor = { userId: user.id, name: user.email, ip: client.ip };
    const [action, summary] = ['user.signed-in', `${user.email} signed in`];
    await writeAudit(deps, trx, { actor, action, subject: { type: 'user', id: user.id }, summary });
  }
  return session;
}

const TOO_SHORT = `Administrators need a password of at least ${ADMIN_PASSWORD_MIN_LENGTH} characters. Please choose a new one with "Forgot password".`;
const invalidCredentials = () => new AppError('INVALID_CREDENTIALS', 'Invalid email or password');
