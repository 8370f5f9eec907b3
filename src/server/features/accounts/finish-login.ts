import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/random-token.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { tooManyRequests } from '../../platform/rate-limits/too-many-requests.ts';
import { acceptCode } from '../authenticators/accept-code.ts';
import { lockUser } from './accounts.queries.ts';
import type { Device } from './device-cookie.ts';
import { recordSignIn } from './record-sign-in.ts';
import { startSession } from './start-session.ts';
import {
  countTry,
  findVerification,
  listTried,
  purposes,
  redeemVerification,
  type Verification,
} from './verifications.queries.ts';

const TRIES_PER_ACCOUNT = 10;

/**
 * The second step of a login: signs in whoever has the pending token of the first and a right code. A user's logins take
 * place one after the other, so that of many guesses at once none goes uncounted. Throws UNAUTHENTICATED when the first
 * step has to be done again, INVALID_CODE, and RATE_LIMITED after 5 wrong codes of a login, or 10 of an account: those of a
 * known device are counted apart, so that whoever has got hold of the password cannot lock its owner out by wrong codes.
 */
export async function finishLogin(
  deps: Deps,
  input: { pendingToken: string; twoFactorToken: string; client: Client; device: Device | undefined },
): Promise<{ token: string; user: UserRow; device: Device }> {
  const { pendingLoginId: id } = await deps.pendingTokens.verify(input.pendingToken);
  const now = deps.clock.now();
  const begun = await getOpenLogin(deps.db, id, now);
  const isKnown = input.device && begun.origin === hashToken(input.device.token).toString('hex');
  const device = isKnown ? input.device : undefined;
  const signedIn = await deps.db.transaction().execute(async (trx) => {
    const user = await lockUser(trx, begun.user_id ?? '');
    await getOpenLogin(trx, id, now);
    await assertTryLeft(trx, begun, now);
    await countTry(trx, { id, purpose: 'login', now });
    const right = await acceptCode(deps, trx, { userId: user.id, code: input.twoFactorToken });
    if (!right) return undefined;
    await redeemVerification(trx, { id, now });
    const { remember = false } = begun.data;
    const session = await startSession(
      { ...deps, db: trx },
      { user, remember, client: input.client, device },
    );
    await recordSignIn(deps, trx, { user, ...input });
    return { ...session, user };
  });
  // Only now: inside, it would undo the count.
  if (!signedIn) throw new AppError('INVALID_CODE', 'Invalid 2FA code');
  return signedIn;
}

async function getOpenLogin(db: Database, id: string, now: Date) {
  const login = await findVerification(db, { key: { id }, among: ['login'], now });
  if (!login) throw new AppError('UNAUTHENTICATED', 'Session expired. Please login again.');
  const leftMs = login.expires_at.getTime() - now.getTime();
  if (login.tries >= (purposes.login.maxTries ?? 0)) throw tooManyRequests(leftMs);
  return login;
}

async function assertTryLeft(trx: Transaction, begun: Verification, now: Date): Promise<void> {
  const { user_id, origin } = begun;
  const tried = await listTried(trx, { purpose: 'login', userId: user_id ?? '', origin, now });
  const [oldest] = tried;
  const tries = tried.reduce((sum, login) => sum + login.tries, 0);
  if (!oldest || tries < TRIES_PER_ACCOUNT) return;
  throw tooManyRequests(oldest.expires_at.getTime() + purposes.login.keptMs - now.getTime());
}
