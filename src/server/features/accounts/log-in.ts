import { AppError } from '../../../shared/errors.ts';
import { ADMIN_PASSWORD_MIN_LENGTH } from '../../../shared/passwords.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';
import { findUserByEmail, lockUser } from './accounts.queries.ts';
import { assertNotBlocked } from './assert-not-blocked.ts';
import type { Device } from './device-cookie.ts';
import { findDevice } from './devices.queries.ts';
import { recordSignIn } from './record-sign-in.ts';
import { startSession } from './start-session.ts';
import { insertVerification, purposes } from './verifications.queries.ts';

interface LogIn {
  email: string;
  password: string;
  remember: boolean;
  client: Client;
  /** As the browser's cookie says. */
  device: Device | undefined;
}

type SignedIn = Awaited<ReturnType<typeof startSession>>;

/**
 * Signs in by password; with two-factor that is only half of it, and what comes back is for finishLogin. A wrong password
 * and an unknown e-mail cost the same work and get the same answer.
 */
export async function logIn(
  deps: Deps,
  input: LogIn,
): Promise<(SignedIn & { user: UserRow }) | { pendingToken: string }> {
  const deviceHash = await findKnownDevice(deps, input);
  const known = await countedByGuesser(deps, { ...input, deviceHash });
  return deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, known.id);
    // Changed while it was being checked: whoever changed it has already ended what was open.
    if (user.password_hash !== known.password_hash) throw invalidCredentials();
    assertNotBlocked(user);
    // Of somebody who was made an administrator as a customer.
    if (user.role === 'admin' && input.password.length < ADMIN_PASSWORD_MIN_LENGTH) throw passwordTooShort();
    const { id: userId } = user;
    const asksForCode = await isTwoFactorEnabled(trx, userId);
    if (asksForCode) return { pendingToken: await openPending(deps, trx, { userId, deviceHash, ...input }) };
    const session = await startSession(
      { ...deps, db: trx },
      { user, ...input, device: deviceHash && input.device },
    );
    await recordSignIn(deps, trx, { user, ...input });
    return { ...session, user };
  });
}

async function findKnownDevice({ db, clock }: Deps, { device, email }: LogIn): Promise<Buffer | undefined> {
  return device && findDevice(db, { device, email, now: clock.now() });
}

interface Guess extends Pick<LogIn, 'email' | 'password' | 'client'> {
  deviceHash: Buffer | undefined;
}

/** A known device has its own failures. A stranger's tries all count, right or not, for the address and the account. */
function countedByGuesser(deps: Deps, guess: Guess): Promise<UserRow> {
  const { deviceHash, email, client } = guess;
  const check = () => userByPassword(deps, guess);
  if (deviceHash)
    return deps.limits.countFailures('device-login', { device: deviceHash.toString('hex') }, check);
  return deps.limits.countFailures('failed-login', { address: client.ip, account: email }, check);
}

async function userByPassword(deps: Deps, { email, password, deviceHash }: Guess): Promise<UserRow> {
  const user = await findUserByEmail(deps.db, email);
  const holder = deviceHash?.toString('hex');
  const right = await deps.passwords.verify(user?.password_hash ?? null, password, holder);
  if (!user || !right) throw invalidCredentials();
  return user;
}

async function openPending(
  { clock, pendingTokens }: Deps,
  trx: Transaction,
  { userId, remember, deviceHash }: { userId: string; remember: boolean; deviceHash: Buffer | undefined },
): Promise<string> {
  const now = clock.now();
  const origin = deviceHash?.toString('hex') ?? '';
  const data = JSON.stringify({ remember });
  const id = await insertVerification(trx, { purpose: 'login', user_id: userId, origin, data }, now);
  const expiresAt = new Date(now.getTime() + purposes.login.lifeMs);
  return pendingTokens.sign({ pendingLoginId: id, expiresAt });
}

const passwordTooShort = () =>
  new AppError(
    'VALIDATION_FAILED',
    `Administrators need a password of at least ${ADMIN_PASSWORD_MIN_LENGTH} characters. Please choose a new one with "Forgot password".`,
    'password',
  );

const invalidCredentials = () => new AppError('INVALID_CREDENTIALS', 'Invalid email or password');
