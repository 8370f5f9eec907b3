import { Secret, TOTP } from 'otpauth';
import { AppError } from '../../../shared/errors.ts';
import { TWO_FACTOR_CODE_LENGTH } from '../../../shared/two-factor.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns } from '../../platform/crypto/item-cipher.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import {
  findSecret,
  findSecretBesideSession,
  type SecretRow,
  takeBackupCode,
  takeStep,
} from './authenticators.queries.ts';

/**
 * Checks and uses up a code of the authenticator app or a backup code. After a code is accepted, no code of the same or
 * an earlier time step is accepted. Returns false for a wrong code, and without two-factor. The caller must limit the
 * tries.
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
export async function assertCode(...args: Parameters<typeof acceptCode>): Promise<void> {
  if (!(await acceptCode(...args))) throw wrongTwoFactorCode();
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

/**
 * Returns the 30-second step of a code: the step of `now`, the one before or the one after. Undefined for any other
 * code.
 */
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

interface Prover {
  userId: string;
  sessionId: string;
  code: string;
}

/**
 * Runs an action that needs a fresh two-factor code of the administrator, in the transaction that uses the code up.
 * Throws TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function withFreshCode<T>(
  deps: Deps,
  prover: Prover,
  action: (trx: Transaction) => Promise<T>,
): Promise<T> {
  await assertProvenBy(deps, prover);
  return deps.limits.countFailures('admin-code', { session: prover.sessionId }, () =>
    deps.db.transaction().execute(async (trx) => {
      await assertCode(deps, trx, prover);
      return action(trx);
    }),
  );
}

/** Two-factor must have been enabled before the session began (findSecretBesideSession). */
async function assertProvenBy({ db }: Deps, prover: Prover): Promise<void> {
  const { enabledAt, predatesSession } = (await findSecretBesideSession(db, prover)) ?? {};
  if (predatesSession) return;
  throw new AppError(
    'TWO_FACTOR_NOT_SET_UP',
    enabledAt
      ? 'Two-factor authentication was set up after you signed in: please sign in again with a code first'
      : 'Please set up two-factor authentication in your profile first: this needs a code',
  );
}
