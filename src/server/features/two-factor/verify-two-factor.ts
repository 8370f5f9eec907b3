import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { lockUser } from '../accounts/accounts.queries.ts';
import { assertRecentlyAuthenticated } from '../accounts/assert-recently-authenticated.ts';
import { revokeSessions } from '../accounts/sessions.queries.ts';
import { endVerifications } from '../accounts/verifications.queries.ts';
import { enableSecret, findSecret } from '../authenticators/authenticators.queries.ts';
import { plainCode } from '../authenticators/backup-codes.ts';
import { stepOfCode } from '../authenticators/totp.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';

/**
 * Turns two-factor on with the first code of the authenticator app, which is used up by it, ends the user's other sessions
 * and tells them by mail. Throws REAUTHENTICATION_REQUIRED, INVALID_CODE, TWO_FACTOR_NOT_SET_UP, TWO_FACTOR_ENABLED.
 */
export async function verifyTwoFactor(
  deps: Deps,
  input: { userId: string; sessionId: string; authenticatedAt: Date; code: string },
): Promise<void> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, sessionId, code } = input;
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const { email: recipient } = await lockUser(trx, userId);
    const row = await findSecret(trx, userId);
    if (!row) throw new AppError('TWO_FACTOR_NOT_SET_UP', 'Please set up two-factor authentication first');
    if (row.enabled_at) {
      throw new AppError('TWO_FACTOR_ENABLED', 'Two-factor authentication is already enabled');
    }
    const secret = await deps.cipher.decryptTwoFactor({ userId, keyId: row.key_id, ...row });
    const step = stepOfCode(secret, plainCode(code), now);
    if (step === undefined) throw new AppError('INVALID_CODE', 'Invalid verification code');
    await enableSecret(trx, { userId, step, now });
    await revokeSessions(trx, { userId, keep: sessionId, now });
    await endVerifications(trx, { userId, among: ['login'], now });
    await enqueueMail(deps, trx, { kind: 'two-factor-enabled', recipient, userId });
  });
}
