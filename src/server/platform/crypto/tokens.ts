import { createHash, hkdfSync, randomBytes, type webcrypto } from 'node:crypto';
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import { AppError } from '../../../shared/errors.ts';
import { INVALID_SESSION, SESSION_EXPIRED, SESSION_TOKEN_TYPE } from '../../../shared/session-messages.ts';
import type { Clock } from '../database/database-clock.ts';
import type { NamedKey, NamedKeys } from './named-keys.ts';

/** 256 random bits in base64url: unguessable, and safe in a link or a cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256, the only form in which a token is stored; random tokens need no slower hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Signed tokens (JWT) of one type, which carry the ids `Name` and nothing else. */
interface SignedTokens<Name extends string> {
  sign(input: Record<Name, string> & { expiresAt: Date }): Promise<string>;
  /** Throws AppError UNAUTHENTICATED. Proves only that the shop signed the ids; the database tells if they are live. */
  verify(token: string): Promise<Record<Name, string>>;
}

export type SessionTokens = SignedTokens<'userId' | 'sessionId'>;

export const createSessionTokens = (jwtKeys: NamedKeys, clock: Clock): Promise<SessionTokens> =>
  createSignedTokens(jwtKeys, clock, { type: SESSION_TOKEN_TYPE, claims: { userId: 'sub', sessionId: 'sid' } });

/** Names the `verifications` row of a login between its two steps; gives access to nothing else. */
export type PendingTokens = SignedTokens<'pendingLoginId'>;

/** The keys are derived from the session keys, so that neither type of token is accepted as the other. */
export function createPendingTokens([first, ...others]: NamedKeys, clock: Clock): Promise<PendingTokens> {
  const keys: NamedKeys = [derive(first), ...others.map(derive)];
  return createSignedTokens(keys, clock, { type: 'pending-login+jwt', claims: { pendingLoginId: 'jti' } });
}

const derive = ({ id, key }: NamedKey): NamedKey => ({
  id,
  key: Buffer.from(hkdfSync('sha256', key, '', 'kedai/pending-login', 32)),
});

const ALGORITHM = 'HS256';
const ISSUER = 'kedai';
const AUDIENCE = 'kedai/shop';

/** Signs with the first key and accepts every key of the list. A token of another type is rejected, whatever its key. */
async function createSignedTokens<Name extends string>(
  namedKeys: NamedKeys,
  clock: Clock,
  { type, claims }: { type: string; claims: Record<Name, string> },
): Promise<SignedTokens<Name>> {
  const keys = new Map<string, webcrypto.CryptoKey>();
  for (const { id, key } of namedKeys) keys.set(id, await importKey(key));
  const signingKeyId = namedKeys[0].id;
  const signingKey = await importKey(namedKeys[0].key);
  const names = Object.keys(claims) as Name[];

  return {
    sign: (input) =>
      new SignJWT(Object.fromEntries(names.map((name) => [claims[name], input[name]])))
        .setProtectedHeader({ alg: ALGORITHM, typ: type, kid: signingKeyId })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(clock.now())
        .setExpirationTime(input.expiresAt)
        .sign(signingKey),

    async verify(token) {
      try {
        const { payload } = await jwtVerify(canonical(token), (header) => keyOf(header, keys), {
          algorithms: [ALGORITHM],
          typ: type,
          issuer: ISSUER,
          audience: AUDIENCE,
          currentDate: clock.now(),
          requiredClaims: ['exp', ...Object.values<string>(claims)],
        });
        const entries = names.map((name) => [name, payload[claims[name]]]);
        if (entries.some(([, id]) => typeof id !== 'string')) throw new errors.JWTInvalid('a claim is not a string');
        return Object.fromEntries(entries) as Record<Name, string>;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
        const isExpired = error instanceof errors.JWTExpired;
        throw new AppError('UNAUTHENTICATED', isExpired ? SESSION_EXPIRED : INVALID_SESSION);
      }
    },
  };
}

const importKey = (key: Buffer) =>
  crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

/** Accepts only the exact header that this shop writes: no embedded key, and no link to one. */
function keyOf(header: JWTHeaderParameters, keys: ReadonlyMap<string, webcrypto.CryptoKey>): webcrypto.CryptoKey {
  const key = keys.get(header.kid ?? '');
  const known = Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name));
  if (!key || !known) throw new errors.JWTInvalid('not a token of this shop');
  return key;
}

/** Base64url leaves two bits of a signature's last character unused; a token that differs in them is rejected. */
function canonical(token: string): string {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') === signature) return token;
  throw new errors.JWTInvalid('signature is not in its canonical form');
}
