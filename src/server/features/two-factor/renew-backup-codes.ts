import type { Deps } from '../../deps.ts';
import { assertRecentlyAuthenticated } from '../accounts/assert-recently-authenticated.ts';
import { confirmPassword } from '../accounts/confirm-password.ts';
import { lockConfirmed } from '../accounts/lock-confirmed.ts';
import { replaceBackupCodes } from '../authenticators/authenticators.queries.ts';
import { hashBackupCode, makeBackupCodes } from '../authenticators/backup-codes.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { lockEnabled } from './lock-enabled.ts';

/**
 * Ten new backup codes, in clear this once, in the place of all earlier ones; a mail tells of it. Throws what
 * confirmPassword throws, REAUTHENTICATION_REQUIRED and TWO_FACTOR_NOT_SET_UP.
 */
export async function renewBackupCodes(
  deps: Deps,
  input: { userId: string; sessionId: string; authenticatedAt: Date; password: string },
): Promise<string[]> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, sessionId, password } = input;
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'password' });
  const backupCodes = makeBackupCodes();
  await deps.db.transaction().execute(async (trx) => {
    await lockConfirmed(trx, confirmed);
    await lockEnabled(trx, userId);
    await replaceBackupCodes(trx, { userId, codeHashes: backupCodes.map(hashBackupCode) });
    const { email: recipient } = confirmed.user;
    await enqueueMail(deps, trx, { kind: 'backup-codes-renewed', recipient, userId });
  });
  return backupCodes;
}
