import type { Insertable, Selectable } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { AppError } from '../../../shared/errors.ts';
import { plural } from '../../../shared/format.ts';
import { TWO_FACTOR_CODE_LENGTH, type TwoFactorStatus } from '../../../shared/two-factor.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns } from '../../platform/crypto/item-cipher.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { TwoFactorSnapshot } from '../../platform/database/account-tables.ts';
import { type Database, firstRowOf, hasRow, type Transaction } from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { AdminActor } from '../../platform/http/route.ts';

export type SecretRow = Selectable<Tables['two_factor_secrets']>;

/** Returns the secret of a user, even if it is not verified yet. */
export const findSecret = (db: Database, userId: string): Promise<SecretRow | undefined> =>
  db.selectFrom('two_factor_secrets').selectAll().where('user_id', '=', userId).executeTakeFirst();

/**
 * Returns when two-factor was enabled (null if not verified), and whether that was before the session began: a thief of
 * an older session could have set up an authenticator. Undefined without a secret.
 */
const findSecretBesideSession = (db: Database, { userId, sessionId }: { userId: string; sessionId: string }) =>
  firstRowOf<{ enabledAt: Date | null; predatesSession: boolean }>(db)`
    SELECT enabled_at AS "enabledAt", coalesce(enabled_at < sessions.created_at, false) AS "predatesSession"
    FROM two_factor_secrets JOIN sessions USING (user_id)
    WHERE user_id = ${userId} AND sessions.id = ${sessionId}`;

export const isTwoFactorEnabled = async (db: Database, userId: string): Promise<boolean> =>
  (await findSecret(db, userId))?.enabled_at instanceof Date;

export const saveSecret = (trx: Transaction, secret: Insertable<Tables['two_factor_secrets']>) =>
  trx
    .insertInto('two_factor_secrets')
    .values(secret)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(secret))
    .execute();

export async function enableSecret(trx: Transaction, userId: string, step: number, now: Date): Promise<void> {
  const enabled = { enabled_at: now, last_step: step };
  await trx.updateTable('two_factor_secrets').set(enabled).where('user_id', '=', userId).execute();
}

/** Uses up a time step. Returns false when a code of this step or a later step was accepted before. */
const takeStep = (db: Database, userId: string, step: number) => hasRow(db)`
  UPDATE two_factor_secrets SET last_step = ${step}
  WHERE user_id = ${userId} AND last_step < ${step} RETURNING user_id`;

export async function replaceBackupCodes(trx: Transaction, userId: string, codeHashes: Buffer[]): Promise<void> {
  await trx.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  const rows = codeHashes.map((code_hash) => ({ user_id: userId, code_hash, used_at: null }));
  if (rows.length > 0) await trx.insertInto('backup_codes').values(rows).execute();
}

function listBackupCodes(db: Database, userId: string) {
  const codes = db.selectFrom('backup_codes').select(['code_hash as hash', 'used_at as usedAt']);
  return codes.where('user_id', '=', userId).execute();
}

/** Uses up a backup code. Returns false when the user has no such code, or it was used before. */
const takeBackupCode = (db: Database, userId: string, codeHash: Buffer, now: Date) => hasRow(db)`
  UPDATE backup_codes SET used_at = ${now}
  WHERE user_id = ${userId} AND code_hash = ${codeHash} AND used_at IS NULL RETURNING user_id`;

export async function deleteTwoFactor(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  await trx.deleteFrom('two_factor_secrets').where('user_id', '=', userId).execute();
}

/**
 * Checks and uses up a code of the authenticator app or a backup code; no code of that or an earlier time step is
 * accepted afterwards. False for a wrong code, and without two-factor. The caller must limit the tries.
 */
export async function acceptCode(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  const row = await findSecret(trx, userId);
  if (!row?.enabled_at) return false;
  if (plainCode(code).length !== TWO_FACTOR_CODE_LENGTH) {
    return takeBackupCode(trx, userId, hashBackupCode(code), deps.clock.now());
  }
  const step = await findStep(deps, row, code);
  return step !== undefined && takeStep(trx, userId, step);
}

export const wrongTwoFactorCode = () => new AppError('INVALID_CODE', 'Invalid 2FA code');

/** Does the same, but throws INVALID_CODE. */
export async function assertCode(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  proof: { userId: string; code: string },
): Promise<void> {
  if (!(await acceptCode(deps, trx, proof))) throw wrongTwoFactorCode();
}

/** Returns the time step of a code of the authenticator app at this moment; undefined when the code is wrong. */
export async function findStep({ cipher, clock }: Pick<Deps, 'cipher' | 'clock'>, row: SecretRow, code: string) {
  const secret = await cipher.decryptTwoFactor({ userId: row.user_id, ...fromColumns(row) });
  return stepOfCode(secret, plainCode(code), clock.now());
}

const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
// Steps accepted before and after the current one, for clocks that differ and slow typing.
const WINDOW_STEPS = 1;
// The parameters that every authenticator app supports, some of them no others (RFC 6238).
const STANDARD = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS };

export const makeSecret = (): Uint8Array => new Secret({ size: SECRET_BYTES }).bytes;

export const base32Of = (secret: Uint8Array): string => secretOf(secret).base32;

/** Returns the QR code for the app as a data URL of an SVG image, with the names of shop and account. */
export async function qrCodeOf(secret: Uint8Array, names: { issuer: string; label: string }): Promise<string> {
  const uri = new TOTP({ ...STANDARD, ...names, secret: secretOf(secret) }).toString();
  // Loaded on first use: most processes never need it.
  const { encodeQR } = await import('qr');
  const svg = encodeQR(uri, 'svg', { border: 2 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** Returns the 30-second step of a code: that of `now`, the one before or after; undefined for any other code. */
export function stepOfCode(secret: Uint8Array, code: string, now: Date): number | undefined {
  // The library does not check this, and fails on characters of several bytes.
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...STANDARD, secret: secretOf(secret) });
  const timestamp = now.getTime();
  const stepsAway = totp.validate({ token: code, timestamp, window: WINDOW_STEPS });
  return stepsAway === null ? undefined : totp.counter({ timestamp }) + stepsAway;
}

// Copies the bytes, because a Buffer may be a view of a larger ArrayBuffer.
const secretOf = (bytes: Uint8Array) => new Secret({ buffer: new Uint8Array(bytes).buffer });

const BACKUP_CODES = 10;
const BACKUP_CODE_BYTES = 15;

/** Ten codes of 120 random bits, as XXXX-XXXX-XXXX-XXXX-XXXX-XXXX in base32: no 0, 1 and 8, which look like letters. */
export const makeBackupCodes = (): string[] =>
  Array.from({ length: BACKUP_CODES }, () =>
    new Secret({ size: BACKUP_CODE_BYTES }).base32.replace(/.{4}(?=.)/g, '$&-'),
  );

/** Returns the SHA-256 of a code in upper case without dashes, the only form in which codes are stored. */
export const hashBackupCode = (code: string): Buffer => hashToken(plainCode(code).toUpperCase());

/** A code without the spaces and dashes that make it readable. */
const plainCode = (typed: string): string => typed.replace(/[^a-z0-9]/gi, '');

/**
 * Runs an action that needs a fresh two-factor code of the administrator, in the transaction that uses the code up.
 * Throws TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function withFreshCode<T>(
  deps: Deps,
  { actor, code }: { actor: AdminActor; code: string },
  action: (trx: Transaction) => Promise<T>,
): Promise<T> {
  await assertMayProve(deps, actor);
  return deps.limits.countFailures('admin-code', { session: actor.sessionId }, () =>
    deps.db.transaction().execute(async (trx) => {
      await assertCode(deps, trx, { userId: actor.userId, code });
      return action(trx);
    }),
  );
}

/** Two-factor must have been enabled before the session began (findSecretBesideSession). */
async function assertMayProve({ db }: Deps, actor: AdminActor): Promise<void> {
  const { enabledAt, predatesSession } = (await findSecretBesideSession(db, actor)) ?? {};
  if (predatesSession) return;
  throw new AppError(
    'TWO_FACTOR_NOT_SET_UP',
    enabledAt
      ? 'Two-factor authentication was set up after you signed in: please sign in again with a code first'
      : 'Please set up two-factor authentication in your profile first: this needs a code',
  );
}

const SUFFICIENT = 4;

export async function getTwoFactorStatus(db: Database, userId: string): Promise<TwoFactorStatus> {
  const enabled = await isTwoFactorEnabled(db, userId);
  // The backup codes of a setup that was never verified are not valid.
  if (!enabled) return { enabled, backupCodesStatus: 'none', warning: null };
  const codesLeft = (await listBackupCodes(db, userId)).filter(({ usedAt }) => usedAt === null).length;
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
