import type { webcrypto } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { keepNewest } from '../keep-newest.ts';
import type { NamedKeys } from './named-keys.ts';

const ALGORITHM = 'HS256';
const ISSUER = 'kedai';
const AUDIENCE = 'kedai/shop';
const MOST_REMEMBERED = 1_000;

/** Tokens of one type, which carry these claims and no others. */
export interface SignedTokens<Claim extends string> {
  sign(claims: Record<Claim, string>, expiresAt: Date): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. What it answers was signed here; whether it still holds, the database says. */
  verify(token: string): Promise<Record<Claim, string>>;
}

/** Signs with the first key; accepts every key of the list. A token of another type is refused, whatever signed it. */
export async function createSignedTokens<Claim extends string>(
  namedKeys: NamedKeys,
  clock: Clock,
  { type, claims }: { type: string; claims: readonly Claim[] },
): Promise<SignedTokens<Claim>> {
  const keys = new Map<string, webcrypto.CryptoKey>();
  for (const { id, key } of namedKeys) keys.set(id, await importKey(key));
  const signingKeyId = namedKeys[0].id;
  const signingKey = await importKey(namedKeys[0].key);
  // A token comes with every call, and once its signature was right it stays right: only the time is looked at again.
  const verified = new Map<string, { claims: Record<Claim, string>; exp: number }>();

  return {
    sign: (values, expiresAt) =>
      new SignJWT(values)
        .setProtectedHeader({ alg: ALGORITHM, typ: type, kid: signingKeyId })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(clock.now())
        .setExpirationTime(expiresAt)
        .sign(signingKey),

    async verify(token) {
      const known = verified.get(token);
      if (known && known.exp > Math.floor(clock.now().getTime() / 1000)) return known.claims;
      try {
        const { payload } = await jwtVerify(canonical(token), (header) => keyOf(header, keys), {
          algorithms: [ALGORITHM],
          typ: type,
          issuer: ISSUER,
          audience: AUDIENCE,
          currentDate: clock.now(),
          requiredClaims: ['exp', ...claims],
        });
        const texts = textsOf(payload, claims);
        keepNewest(verified, token, { claims: texts, exp: payload.exp ?? 0 }, MOST_REMEMBERED);
        return texts;
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

function textsOf<Claim extends string>(payload: JWTPayload, claims: readonly Claim[]): Record<Claim, string> {
  const texts = claims.map((claim) => [claim, payload[claim]]);
  if (texts.some(([, value]) => typeof value !== 'string')) throw new errors.JWTInvalid('a claim is no text');
  return Object.fromEntries(texts);
}

function refusal(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error;
  const expired = error instanceof errors.JWTExpired;
  const message = expired ? 'Session expired. Please login again.' : 'Invalid session. Please login again.';
  return new AppError('UNAUTHENTICATED', message);
}
