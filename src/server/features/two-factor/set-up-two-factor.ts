import { AppError } from '../../../shared/errors.ts';
import type { TwoFactorSetup } from '../../../shared/two-factor.ts';
import type { Deps } from '../../deps.ts';
import { lockUser } from '../accounts/accounts.queries.ts';
import { assertRecentlyAuthenticated } from '../accounts/assert-recently-authenticated.ts';
import {
  isTwoFactorEnabled,
  replaceBackupCodes,
  saveSecret,
} from '../authenticators/authenticators.queries.ts';
import { hashBackupCode, makeBackupCodes } from '../authenticators/backup-codes.ts';
import { base32Of, makeSecret, qrCodeOf } from '../authenticators/totp.ts';

/**
 * A new secret and backup codes, in clear this once. Nothing is asked at login until a code of theirs was verified; set up
 * again before that, the earlier ones are worthless. Throws REAUTHENTICATION_REQUIRED, TWO_FACTOR_ENABLED.
 */
export async function setUpTwoFactor(
  deps: Deps,
  input: { userId: string; email: string; authenticatedAt: Date },
): Promise<TwoFactorSetup> {
  assertRecentlyAuthenticated(deps, input);
  const { userId, email } = input;
  const secret = makeSecret();
  const backupCodes = makeBackupCodes();
  await deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    if (await isTwoFactorEnabled(trx, userId)) {
      throw new AppError('TWO_FACTOR_ENABLED', 'Two-factor authentication is already enabled');
    }
    const { keyId, nonce, ciphertext } = deps.cipher.encryptTwoFactor({ userId, secret });
    await saveSecret(trx, {
      user_id: userId,
      key_id: keyId,
      nonce,
      ciphertext,
      created_at: deps.clock.now(),
      enabled_at: null,
      last_step: 0,
    });
    await replaceBackupCodes(trx, { userId, codeHashes: backupCodes.map(hashBackupCode) });
  });
  const qrCode = await qrCodeOf(secret, { issuer: deps.config.storeName, label: email });
  return { qrCode, secret: base32Of(secret), backupCodes };
}
