import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** 256 random bits in base64url: cannot be guessed, fits in a link or a cookie. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** SHA-256, the only form in which a token is stored; random tokens need no slower hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
