import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { findSecret, takeBackupCode, takeStep } from './authenticators.queries.ts';
import { hashBackupCode, plainCode } from './backup-codes.ts';
import { stepOfCode } from './totp.ts';

/**
 * Whether a code of the authenticator app, or a backup code, is right at this moment, and uses it up if so: of a step no
 * code is accepted twice, nor one of an older step after it. False without two-factor. The caller counts the tries.
 */
export async function acceptCode(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  const now = deps.clock.now();
  const row = await findSecret(trx, userId);
  if (!row?.enabled_at) return false;
  if (plainCode(code).length !== TWO_FACTOR_CODE_LENGTH) {
    return takeBackupCode(trx, { userId, codeHash: hashBackupCode(code), now });
  }
  const secret = await deps.cipher.decryptTwoFactor({ userId, keyId: row.key_id, ...row });
  const step = stepOfCode(secret, plainCode(code), now);
  return step !== undefined && takeStep(trx, { userId, step });
}
