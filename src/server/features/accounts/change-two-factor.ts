import { AppError } from '../../../shared/errors.ts';
import type { TwoFactorSetup } from '../../../shared/two-factor.ts';
import type { Deps } from '../../deps.ts';
import { toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Viewer } from '../../platform/http/client.ts';
import { enqueueMail } from '../mails/send-mail.ts';
import {
  base32Of,
  deleteTwoFactor,
  enableSecret,
  findSecret,
  findStep,
  hashBackupCode,
  isTwoFactorEnabled,
  makeBackupCodes,
  makeSecret,
  qrCodeOf,
  replaceBackupCodes,
  saveSecret,
} from '../two-factor/two-factor.ts';
import { lockUser } from './accounts.queries.ts';
import {
  assertRecentlyAuthenticated,
  assertStillSignedIn,
  assertTwoFactorEnabled,
  confirmPassword,
  endOtherLogins,
  lockUserIfPasswordUnchanged,
} from './sessions.ts';

/**
 * Makes a secret and backup codes, and returns them once in clear text. Two-factor stays off until a code is verified.
 * Throws REAUTHENTICATION_REQUIRED, TWO_FACTOR_ENABLED.
 */
export async function setUpTwoFactor(deps: Deps, viewer: Viewer): Promise<TwoFactorSetup> {
  assertRecentlyAuthenticated(deps, viewer);
  const { userId, email } = viewer;
  const secret = makeSecret();
  const backupCodes = makeBackupCodes();
  const madeAt = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    await assertStillSignedIn(deps, trx, viewer);
    if (await isTwoFactorEnabled(trx, userId)) throw alreadyEnabled();
    const sealed = toColumns(deps.cipher.encryptTwoFactor({ userId, secret }));
    const unverified = { created_at: madeAt, enabled_at: null, last_step: 0 };
    await saveSecret(trx, { user_id: userId, ...sealed, ...unverified });
    await replaceBackupCodes(trx, userId, backupCodes.map(hashBackupCode));
  });
  const qrCode = await qrCodeOf(secret, { issuer: deps.config.storeName, label: email });
  return { qrCode, secret: base32Of(secret), backupCodes, madeAt: madeAt.toISOString() };
}

/**
 * Turns two-factor on with the first code of the app, which is used up. Ends other sessions and notifies the user by
 * mail. Throws REAUTHENTICATION_REQUIRED, INVALID_CODE, TWO_FACTOR_ENABLED, and TWO_FACTOR_NOT_SET_UP also if another
 * setup has replaced the secret since `madeAt`.
 */
export async function verifyTwoFactor(
  deps: Deps,
  viewer: Viewer,
  { token, madeAt }: { token: string; madeAt?: string | undefined },
): Promise<void> {
  assertRecentlyAuthenticated(deps, viewer);
  const { userId } = viewer;
  await deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now();
    const { email } = await lockUser(trx, userId);
    // Otherwise a thief whose session a new password has just ended could lock the owner out.
    await assertStillSignedIn(deps, trx, viewer);
    const row = await findSecret(trx, userId);
    if (!row) throw new AppError('TWO_FACTOR_NOT_SET_UP', 'Please set up two-factor authentication first');
    if (row.enabled_at) throw alreadyEnabled();
    if (madeAt !== undefined && Date.parse(madeAt) !== row.created_at.getTime()) {
      const message = 'Another tab or device has replaced this secret. Please start again.';
      throw new AppError('TWO_FACTOR_NOT_SET_UP', message);
    }
    const step = await findStep(deps, row, token);
    if (step === undefined) throw new AppError('INVALID_CODE', 'Invalid verification code');
    await enableSecret(trx, userId, step, now);
    await endOtherLogins(trx, { ...viewer, now });
    await enqueueMail(deps, trx, { kind: 'two-factor-enabled', recipient: email, userId });
  });
}

/** Turns two-factor off, ends other sessions, mails the user. Throws TWO_FACTOR_NOT_SET_UP and like confirmPassword. */
export async function disableTwoFactor(deps: Deps, viewer: Viewer, password: string): Promise<void> {
  await withPassword(deps, viewer, password, async (trx, recipient) => {
    const { userId } = viewer;
    await deleteTwoFactor(trx, userId);
    await endOtherLogins(trx, { ...viewer, now: deps.clock.now() });
    await enqueueMail(deps, trx, { kind: 'two-factor-disabled', recipient, userId });
  });
}

/** Replaces the backup codes, mails the user, returns them. Throws TWO_FACTOR_NOT_SET_UP and like confirmPassword. */
export async function renewBackupCodes(deps: Deps, viewer: Viewer, password: string): Promise<string[]> {
  const backupCodes = makeBackupCodes();
  await withPassword(deps, viewer, password, async (trx, recipient) => {
    const { userId } = viewer;
    await replaceBackupCodes(trx, userId, backupCodes.map(hashBackupCode));
    await enqueueMail(deps, trx, { kind: 'backup-codes-renewed', recipient, userId });
  });
  return backupCodes;
}

/** Confirms the password, which suffices as proof, and changes two-factor in a transaction. Passes on the address. */
async function withPassword(
  deps: Deps,
  viewer: Viewer,
  password: string,
  change: (trx: Transaction, recipient: string) => Promise<void>,
): Promise<void> {
  const { userId, sessionId } = viewer;
  const confirmed = await confirmPassword(deps, { userId, sessionId, password, field: 'password' });
  await deps.db.transaction().execute(async (trx) => {
    // Locks the user, so that no login and no other change of two-factor happens until the transaction ends.
    await lockUserIfPasswordUnchanged(deps, trx, confirmed);
    await assertTwoFactorEnabled(trx, userId);
    await change(trx, confirmed.user.email);
  });
}

const alreadyEnabled = () => new AppError('TWO_FACTOR_ENABLED', 'Two-factor authentication is already enabled');
