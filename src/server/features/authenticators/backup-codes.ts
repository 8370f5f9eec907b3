import { Secret } from 'otpauth';
import { hashToken } from '../../platform/crypto/random-token.ts';

const CODES = 10;
const CODE_BYTES = 15;

/** Ten codes of 120 random bits, as XXXX-XXXX-XXXX-XXXX-XXXX-XXXX in base32: without 0, 1 and 8, which look like letters. */
export const makeBackupCodes = (): string[] =>
  Array.from({ length: CODES }, () => new Secret({ size: CODE_BYTES }).base32.replace(/.{4}(?=.)/g, '$&-'));

/** SHA-256, the only form in which a code is stored; however it is grouped and in either case. */
export const hashBackupCode = (code: string): Buffer => hashToken(plainCode(code).toUpperCase());

/** A code as it was meant: without the spaces and dashes that make it readable. */
export const plainCode = (typed: string): string => typed.replace(/[^a-z0-9]/gi, '');
