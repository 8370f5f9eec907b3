import { createHash, hkdfSync, randomBytes, type webcrypto } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { keepNewest } from '../keep-newest.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';

const TOKEN_BYTES = 32;

/** 256 random bits in base64url: cannot be guessed, fits in a link or a cookie. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** SHA-256, the only form in which a token is stored; random tokens need no slower hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export interface SessionTokens {
  sign(input: { userId: string; sessionId: string; expiresAt: Date }): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. What it answers was signed here; whether the session still holds, the database says. */
  verify(token: string): Promise<{ userId: string; sessionId: string }>;
}

export async function createSessionTokens(jwtKeys: NamedKeys, clock: Clock): Promise<SessionTokens> {
  const tokens = await createSignedTokens(jwtKeys, clock, { type: 'session+jwt', claims: ['sub', 'sid'] });
  return {
    sign: ({ userId, sessionId, expiresAt }) => tokens.sign({ sub: userId, sid: sessionId }, expiresAt),
    async verify(token) {
      const { sub, sid } = await tokens.verify(token);
      return { userId: sub, sessionId: sid };
    },
  };
}

/** Between the two steps of a login: a token names its row in `verifications` and opens nothing else. */
export interface PendingTokens {
  sign(input: { pendingLoginId: string; expiresAt: Date }): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. */
  verify(token: string): Promise<{ pendingLoginId: string }>;
}

/** Its keys are made of the session tokens' own, so that neither kind can stand for the other and none is configured. */
export async function createPendingTokens([first, ...others]: NamedKeys, clock: Clock): Promise<PendingTokens> {
  const keys: NamedKeys = [derive(first), ...others.map(derive)];
  const tokens = await createSignedTokens(keys, clock, { type: 'pending-login+jwt', claims: ['jti'] });
  return {
    sign: ({ pendingLoginId, expiresAt }) => tokens.sign({ jti: pendingLoginId }, expiresAt),
    verify: async (token) => ({ pendingLoginId: (await tokens.verify(token)).jti }),
  };
}

const derive = ({ id, key }: NamedKey): NamedKey => ({
  id,
  key: Buffer.from(hkdfSync('sha256', key, '', 'kedai/pending-login', 32)),
});

const ALGORITHM = 'HS256';
const ISSUER = 'kedai';
const AUDIENCE = 'kedai/shop';
const MAX_REMEMBERED = 1_000;

/** Tokens of one type, which carry these claims and no others. */
interface SignedTokens<Claim extends string> {
  sign(claims: Record<Claim, string>, expiresAt: Date): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. What it answers was signed here; whether it still holds, the database says. */
  verify(token: string): Promise<Record<Claim, string>>;
}

/** Signs with the first key; accepts every key of the list. A token of another type is refused, whatever signed it. */
async function createSignedTokens<Claim extends string>(
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
        keepNewest(verified, token, { claims: texts, exp: payload.exp ?? 0 }, MAX_REMEMBERED);
        return texts;
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

const importKey = (key: Buffer) =>
  crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

/** Only the exact header that this shop writes: a token that brings a key, or says where to fetch one, is nobody's. */
function keyOf(header: JWTHeaderParameters, keys: ReadonlyMap<string, webcrypto.CryptoKey>): webcrypto.CryptoKey {
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
