import type { Deps } from '../../deps.ts';
import { confirmPassword } from '../accounts/confirm-password.ts';
import { lockConfirmed } from '../accounts/lock-confirmed.ts';
import { replaceBackupCodes } from '../authenticators/authenticators.queries.ts';
import { hashBackupCode, makeBackupCodes } from '../authenticators/backup-codes.ts';
import { lockEnabled } from './lock-enabled.ts';

/**
 * Ten new backup codes, in clear this once, in the place of all earlier ones. Throws what confirmPassword throws, and
 * TWO_FACTOR_NOT_SET_UP.
 */
export async function renewBackupCodes(
  deps: Deps,
  { userId, sessionId, password }: { userId: string; sessionId: string; password: string },
): Promise<string[]> {
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'password' });
  const backupCodes = makeBackupCodes();
  await deps.db.transaction().execute(async (trx) => {
    await lockConfirmed(trx, confirmed);
    await lockEnabled(trx, userId);
    await replaceBackupCodes(trx, { userId, codeHashes: backupCodes.map(hashBackupCode) });
  });
  return backupCodes;
}
