import type { Transaction } from '../../platform/database/open-database.ts';
import type { TwoFactorSnapshot } from '../../platform/database/tables.ts';
import {
  deleteTwoFactor,
  findSecret,
  listBackupCodes,
  replaceBackupCodes,
  saveSecret,
} from './authenticators.queries.ts';

/** Two-factor as it stands now, for restoreTwoFactor; null when it is off. */
export async function takeTwoFactorSnapshot(
  trx: Transaction,
  userId: string,
): Promise<TwoFactorSnapshot | null> {
  const secret = await findSecret(trx, userId);
  if (!secret?.enabled_at) return null;
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

/** Puts two-factor back as it was: off again, or with the secret and backup codes of then, less what was used since. */
export async function restoreTwoFactor(
  trx: Transaction,
  { userId, snapshot }: { userId: string; snapshot: TwoFactorSnapshot | null },
): Promise<void> {
  const current = await findSecret(trx, userId);
  const codes = await listBackupCodes(trx, userId);
  await deleteTwoFactor(trx, userId);
  if (snapshot === null) return;
  const ciphertext = Buffer.from(snapshot.ciphertext, 'base64');
  // The steps of another secret say nothing about this one, and its holder could use them up to keep the owner out.
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
  const unused = snapshot.backupCodeHashes.filter((hash) => !used.has(hash));
  await replaceBackupCodes(trx, { userId, codeHashes: unused.map((hash) => Buffer.from(hash, 'base64')) });
}
