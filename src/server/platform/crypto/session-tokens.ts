import type { webcrypto } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { NamedKeys } from './named-keys.ts';

const ALGORITHM = 'HS256';
const TYPE = 'session+jwt';
const ISSUER = 'kedai';
const AUDIENCE = 'kedai/shop';

export interface SessionTokens {
  sign(input: { userId: string; sessionId: string; expiresAt: Date }): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. What it answers was signed here; whether the session still holds, the database says. */
  verify(token: string): Promise<{ userId: string; sessionId: string }>;
}

/** Signs with the first key; accepts every key of the list. */
export async function createSessionTokens(jwtKeys: NamedKeys, clock: Clock): Promise<SessionTokens> {
  const keys = new Map<string, webcrypto.CryptoKey>();
  for (const { id, key } of jwtKeys) keys.set(id, await importKey(key));
  const signingKeyId = jwtKeys[0].id;
  const signingKey = await importKey(jwtKeys[0].key);

  return {
    sign: ({ userId, sessionId, expiresAt }) =>
      new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: signingKeyId })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setIssuedAt(clock.now())
        .setExpirationTime(expiresAt)
        .sign(signingKey),

    async verify(token) {
      try {
        const { payload } = await jwtVerify(canonical(token), (header) => keyOf(header, keys), {
          algorithms: [ALGORITHM],
          typ: TYPE,
          issuer: ISSUER,
          audience: AUDIENCE,
          currentDate: clock.now(),
          requiredClaims: ['exp', 'sub', 'sid'],
        });
        return subjectOf(payload);
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

const importKey = (key: Buffer) =>
  crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

/** Only the exact header that this shop writes: a token that brings a key, or says where to fetch one, is nobody's. */
function keyOf(
  header: JWTHeaderParameters,
  keys: ReadonlyMap<string, webcrypto.CryptoKey>,
): webcrypto.CryptoKey {
  const key = keys.get(header.kid ?? '');
  const known = Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name));
  if (!key || !known) throw new errors.JWTInvalid('not a token of this shop');
  return key;
}

/** Base64url leaves two bits of a signature's last character unused: an altered one could otherwise be accepted. */
function canonical(token: string): string {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') === signature) return token;
  throw new errors.JWTInvalid('signature is not in its canonical form');
}

function subjectOf({ sub, sid }: JWTPayload): { userId: string; sessionId: string } {
  if (typeof sub !== 'string' || typeof sid !== 'string')
    throw new errors.JWTInvalid('subject or session is missing');
  return { userId: sub, sessionId: sid };
}

function refusal(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error;
  const expired = error instanceof errors.JWTExpired;
  const message = expired ? 'Session expired. Please login again.' : 'Invalid session. Please login again.';
  return new AppError('UNAUTHENTICATED', message);
}
