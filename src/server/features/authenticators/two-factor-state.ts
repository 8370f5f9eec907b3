import { AppError } from '../../../shared/errors.ts';
import { plural } from '../../../shared/format.ts';
import type { TwoFactorStatus } from '../../../shared/two-factor.ts';
import type { TwoFactorSnapshot } from '../../platform/database/account-tables.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import {
  countBackupCodes,
  deleteTwoFactor,
  findSecret,
  findSecretBesideSession,
  isTwoFactorEnabled,
  listBackupCodes,
  replaceBackupCodes,
  saveSecret,
} from './authenticators.queries.ts';

const SUFFICIENT = 4;

export async function getTwoFactorStatus(db: Database, userId: string): Promise<TwoFactorStatus> {
  const enabled = await isTwoFactorEnabled(db, userId);
  // The backup codes of a setup that was never verified are not valid.
  if (!enabled) return { enabled, backupCodesStatus: 'none', warning: null };
  const codesLeft = await countBackupCodes(db, userId);
  if (codesLeft >= SUFFICIENT) return { enabled, backupCodesStatus: 'sufficient', warning: null };
  if (codesLeft === 0) {
    const warning = 'You have no backup codes left. Make new ones, or you cannot sign in without your phone.';
    return { enabled, backupCodesStatus: 'none', warning };
  }
  const left = `${codesLeft} backup ${plural(codesLeft, 'code')}`;
  return { enabled, backupCodesStatus: 'low', warning: `You have only ${left} left. Make new ones soon.` };
}

/**
 * Returns the current secret and unused backup codes of a user, for restoreTwoFactor; null when two-factor is off.
 * Throws FORBIDDEN when two-factor was enabled after the session began: a thief may have enabled it
 * (findSecretBesideSession), or the owner as a protection against somebody who reads the old mailbox.
 */
export async function takeTwoFactorSnapshot(
  trx: Transaction,
  session: { userId: string; sessionId: string },
): Promise<TwoFactorSnapshot | null> {
  const { userId } = session;
  const secret = await findSecret(trx, userId);
  if (!secret?.enabled_at) return null;
  if (!(await findSecretBesideSession(trx, session))?.predatesSession) {
    const message = 'Two-factor authentication was switched on after you signed in.';
    throw new AppError('FORBIDDEN', `${message} Sign in again with a code, then open the link again.`);
  }
  const codes = await listBackupCodes(trx, userId);
  return {
    keyId: secret.key_id,
    nonce: secret.nonce.toString('base64'),
    ciphertext: secret.ciphertext.toString('base64'),
    createdAt: secret.created_at.toISOString(),
    enabledAt: secret.enabled_at.toISOString(),
    lastStep: Number(secret.last_step),
    backupCodeHashes: codes.filter(({ usedAt }) => !usedAt).map(({ hash }) => hash.toString('base64')),
  };
}

/** Restores two-factor from a snapshot, without the backup codes used since. Null turns two-factor off. */
export async function restoreTwoFactor(trx: Transaction, userId: string, snapshot: TwoFactorSnapshot | null) {
  const current = await findSecret(trx, userId);
  const codes = await listBackupCodes(trx, userId);
  await deleteTwoFactor(trx, userId);
  if (snapshot === null) return;
  const ciphertext = Buffer.from(snapshot.ciphertext, 'base64');
  // Steps of another secret do not count: a thief who set up that secret could otherwise lock the owner out.
  const isSameSecret = current?.ciphertext.equals(ciphertext);
  await saveSecret(trx, {
    user_id: userId,
    key_id: snapshot.keyId,
    nonce: Buffer.from(snapshot.nonce, 'base64'),
    ciphertext,
    created_at: new Date(snapshot.createdAt),
    enabled_at: new Date(snapshot.enabledAt),
    last_step: isSameSecret ? Number(current?.last_step) : snapshot.lastStep,
  });
  const used = new Set(codes.filter(({ usedAt }) => usedAt).map(({ hash }) => hash.toString('base64')));
  const unused = snapshot.backupCodeHashes.filter((hash) => !used.has(hash)).map((hash) => Buffer.from(hash, 'base64'));
  await replaceBackupCodes(trx, userId, unused);
}
